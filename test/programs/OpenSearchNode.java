import java.util.List;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/**
 * OpenSearch on the loopback, from its jars, with the modules that Orbweaver's index uses: the server itself, without the
 * launcher of its distribution. Its folder is the argument. It writes its port once it answers, and ends when its input does.
 */
public class OpenSearchNode extends Node {
  private OpenSearchNode(Settings settings) {
    super(
        new Environment(settings, null),
        List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, ReindexPlugin.class),
        true);
  }

  public static void main(String[] arguments) throws Exception {
    OpenSearchNode node =
        new OpenSearchNode(
            Settings.builder()
                .put("path.home", arguments[0])
                .put("network.host", "127.0.0.1")
                .put("http.port", "0")
                .put("transport.port", "0")
                .put("transport.type", "netty4")
                .put("http.type", "netty4")
                .put("discovery.type", "single-node")
                .put("node.name", "test")
                .put("cluster.routing.allocation.disk.threshold_enabled", false)
                .build());
    node.start();
    HttpServerTransport http = node.injector().getInstance(HttpServerTransport.class);
    System.out.println("port " + http.boundAddress().publishAddress().getPort());
    while (System.in.read() != -1) {}
    node.close();
    System.exit(0);
  }
}
