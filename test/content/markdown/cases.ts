/** Pieces of pages by what is hard about them. Every end tag is written, so that any parser reads them alike. */
const table = (rows: string): string => `<table>${rows}</table>`;

export const mdCases: Readonly<Record<string, string>> = {
  'heading: six levels': [1, 2, 3, 4, 5, 6]
    .map((n) => `<h${String(n)}>Level ${String(n)}</h${String(n)}>`)
    .join(''),
  'heading: with marks and a link':
    '<h2>The <em>new</em> <code>map()</code>, <a href="../x">explained</a></h2><p>Text</p>',
  'heading: with signs': '<h2># C# in 1. and 2) *</h2><h3>Why C #</h3><p>x</p>',
  'heading: of several lines': '<h2>\n  One\n  two\n</h2><p>x</p>',
  'list: bullets': '<ul><li>One</li><li>Two</li><li>Three</li></ul>',
  'list: numbers from five': '<ol start="5"><li>Five</li><li>Six</li></ol>',
  'list: three levels': '<ul><li>a<ul><li>b<ul><li>c</li></ul></li><li>d</li></ul></li><li>e</li></ul>',
  'list: numbers in bullets in numbers':
    '<ol><li>a<ul><li>b<ol><li>c</li><li>d</li></ol></li></ul></li><li>e</li></ol>',
  'list: items of paragraphs': '<ul><li><p>One</p><p>still one</p></li><li><p>Two</p></li></ul>',
  'list: code in an item':
    '<ol><li>Run:<pre><code class="language-sh">npm test\n  --all</code></pre></li><li>Done</li></ol>',
  'list: a quotation in an item': '<ul><li>He said<blockquote><p>no</p></blockquote></li><li>Fine</li></ul>',
  'list: begins with a list': '<ul><li><ul><li>a</li></ul></li><li>b</li></ul>',
  'list: two below one another':
    '<ul><li>a</li></ul><ul><li>b</li></ul><p>and</p><ol><li>c</li></ol><ol><li>d</li></ol>',
  'list: text behind it': '<p>Before</p><ul><li>a</li></ul><p>After</p>',
  'list: items that look like lists': '<ul><li>1. first</li><li>- dash</li><li># hash</li><li>+</li></ul>',
  'list: numbers after text in an item': '<ul><li>text<ol start="3"><li>three</li></ol></li></ul>',
  'table: with a head': table(
    '<thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>a</td><td>1</td></tr></tbody>',
  ),
  'table: without a head': table('<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>'),
  'table: pipes, code and marks': table(
    '<tr><th>a|b</th><th>Code</th></tr><tr><td><strong>x | y</strong></td><td><code>a || b</code></td></tr>',
  ),
  'table: lines in a cell': table('<tr><th>a</th><th>b</th></tr><tr><td>one<br>two</td><td>three</td></tr>'),
  'table: links in cells': table(
    '<tr><th>Site</th><th>Id</th></tr><tr><td><a href="/a_b?x=1&amp;y=2">A_B</a></td><td>x_y_z</td></tr>',
  ),
  'table: a long first column': table(
    '<tr><th>k</th><th>v</th></tr><tr><td>-</td><td>:--|</td></tr><tr><td></td><td>x</td></tr>',
  ),
  'table: in an item': `<ul><li>See${table('<tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr>')}</li><li>b</li></ul>`,
  'table: below its caption': table(
    '<caption>Sizes</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr>',
  ),
  'code: with a language': '<pre><code class="language-js">if (a &lt; b) {\n\n  return `x`;\n}</code></pre>',
  'code: with fences in it': '<pre><code>```js\ncode\n```\n~~~\n</code></pre>',
  'code: highlighted':
    '<pre><code class="language-python"><span class="k">def</span> <span>f</span>():\n    <b>pass</b></code></pre>',
  'code: signs of all kinds': '<pre>* a\n_b_ &amp;amp; \\*\n# c\n\n\n1. d  |</pre>',
  'code: within text':
    '<p>Use <code>a * b</code>, <code>`</code>, <code>a``b</code> and <code>\\</code>.</p>',
  'code: linked': '<p><a href="/api"><code>fetch()</code></a> and <strong><code>x</code></strong></p>',
  'link: beside signs': '<p>See (<a href="a (b).html">this [one]</a>), !<a href="/x">that</a>.</p>',
  'link: with a title': '<p><a href="/x" title="Say &quot;x&quot; &amp; go">x</a></p>',
  'link: with signs in its address':
    '<p><a href="/a_b*c?q=[1]&amp;copy;=2#f_(g">x</a> <a href="//h.example/~u">y</a></p>',
  'link: relative ones':
    '<p><a href="x">a</a> <a href="../y">b</a> <a href="?z">c</a> <a href="#f">d</a> <a href="mailto:a@example.com">e</a></p>',
  'link: around an image': '<p><a href="/big.png"><img src="small.png" alt="A [small] one"></a></p>',
  'image: with signs': '<p><img src="i_1.png" alt="a * b"> beside text</p>',
  'marks: plain':
    '<p><b>bold</b>, <i>italic</i>, <b><i>both</i></b>, <del>gone</del>, H<sub>2</sub>O, x<sup>2</sup></p>',
  'marks: within words': '<p>un<b>frigging</b>believable, <i>s</i>nake_case, a<i>b</i>c</p>',
  'marks: beside punctuation': '<p>a<b>.</b>b, a<i>"x"</i>b, (<b>x</b>), <b>x:</b>y, 中<b>文。</b>字</p>',
  'marks: with spaces at their ends': '<p>a<b> b </b>c<i> d</i>e <b>f<br></b>g</p>',
  'marks: one after the other': '<p><b>a</b><i>b</i><del>c</del> <i>d</i><b>e</b></p>',
  'marks: within one another': '<p><i>a <b>b</b></i> <b>c<i>d</i></b>e <i>f<b>g</b>h</i></p>',
  'text: signs of marks': '<p>2 * 3 * 4, _x_, **y**, ~z~, `w`, [a](b), ![c](d), a_b_c</p>',
  'text: begins like blocks':
    '<p># a</p><p>- b</p><p>+ c</p><p>* d</p><p>1. e</p><p>2) f</p><p>&gt; g</p><p>---</p><p>===</p><p>```</p><p>    h</p>',
  'text: entities and elements':
    '<p>&amp;amp; &amp;copy; &amp;#65; &lt;b&gt; a &lt; b &amp; c &lt;!-- x --&gt; AT&amp;T</p>',
  'text: backslashes': '<p>C:\\dir\\new \\* \\\\ \\</p>',
  'text: looks like a table or a reference':
    '<p>| a | b |<br>|---|---|</p><p>[x]: http://example.com/</p><p>a<br>===</p>',
  'text: lines': '<p>one<br>two<br>- three<br>4. four</p>',
  'quotation: nested, with a list':
    '<blockquote><p>a</p><blockquote><p>b</p></blockquote><ul><li>c</li><li>d</li></ul></blockquote><p>e</p>',
  'quotation: two below one another': '<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>',
  'quotation: code and a heading': '<blockquote><h3>T</h3><pre><code>a\n\nb</code></pre></blockquote>',
  'page: bare text between blocks': '<div>a<p>b</p>c</div><hr><main>d<section>e</section></main>',
  'page: terms': '<dl><dt>Term</dt><dd>What it is</dd></dl>',
  'page: what does not show':
    '<nav>menu</nav><p>a<script>x()</script></p><style>p{}</style><footer>end</footer>',
};
