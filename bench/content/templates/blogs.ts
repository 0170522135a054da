/** Blogs, as WordPress's themes and builders, Blogger, Medium and Tumblr write them. */
import type { Template } from './writer.ts';

const sharing = `<div class="sharedaddy sd-sharing-enabled"><h3 class="sd-title">Share this:</h3><ul><li><a href="/s1">Twitter</a></li><li><a href="/s2">Facebook</a></li></ul></div>`;
const cookies = `<div id="cookie-law-info-bar"><span>This website uses cookies to improve your experience. We assume that you agree with this, but you can opt out if you wish. <a href="/c">Read more</a></span></div>`;

/** As wp_list_comments writes them. */
const commentList: (w: Parameters<Template>[0], count: number, sentences: number) => string = (
  w,
  count,
  sentences,
) =>
  `<div id="comments"><h3 id="comments-title">${String(count)} Responses</h3><ol class="commentlist">${w.each(
    count,
    (n) =>
      `<li class="comment even thread-even depth-1" id="li-comment-${String(n)}"><div id="comment-${String(n)}"><div class="comment-author vcard"><cite class="fn">${w.name()}</cite> <span class="says">says:</span></div><div class="comment-meta commentmetadata"><a href="#comment-${String(n)}">March ${String(1 + (n % 28))}, 2012 at 9:12 am</a></div><div class="comment-body">${w.each(w.between(1, 2), () => `<p>${w.prose(sentences)}</p>`)}</div><div class="reply"><a class="comment-reply-link" href="#r">Reply</a></div></div></li>`,
  )}</ol><div id="respond"><h3>Leave a Reply</h3><form><p class="comment-notes">Your email address will not be published. Required fields are marked *</p><textarea></textarea></form></div></div>`;

export const blogs: Readonly<Record<string, Template>> = {
  'WordPress, 80 comments': (w) =>
    w.page(
      `<div id="wrapper" class="hfeed"><div id="header"><div id="masthead"><h1 id="site-title"><a href="/">${w.words(3)}</a></h1><div id="access" role="navigation">${w.menu()}</div></div></div>
<div id="main"><div id="container"><div id="content" role="main"><div id="post-12" class="post-12 post type-post hentry category-news"><h1 class="entry-title">${w.title}</h1><div class="entry-meta"><span class="meta-prep">Posted on</span> <a href="/d">March 1, 2012</a> by <span class="author vcard">${w.link(2)}</span></div><div class="entry-content">${w.p(6)}${sharing}</div><div class="entry-utility">This entry was posted in ${w.link()}. Bookmark the ${w.link()}.</div></div>
${commentList(w, 80, 3)}</div></div><div id="primary" class="widget-area" role="complementary"><ul class="xoxo"><li class="widget-container widget_text"><h3 class="widget-title">${w.words(2)}</h3><div class="textwidget">${w.prose(3)}</div></li><li class="widget-container">${w.menu(10)}</li></ul></div></div><div id="footer">Proudly powered by WordPress.</div></div>`,
      '',
      '<body class="single single-post postid-12 comments-open">',
    ),
  'WordPress, comments without a list': (w) =>
    w.page(
      `<div id="page" class="site"><main id="main" class="site-main"><article class="post hentry"><header class="entry-header"><h1 class="entry-title">${w.title}</h1></header><div class="entry-content">${w.p(4, 3)}</div></article><div id="respuestas" class="comments-area">${w.each(40, () => `<article class="comment-body"><footer class="comment-meta"><b class="fn">${w.name()}</b></footer><div class="comment-content"><p>${w.prose(4)}</p></div></article>`)}</div></main></div>`,
    ),
  'Comments by markup alone': (w) =>
    w.page(
      `<div class="top">${w.menu()}</div><div class="k1"><h1>${w.title}</h1><div class="k2">${w.p(6, 3)}</div><div class="k3"><h3>34 ${w.words(1)}</h3>${w.each(34, (n) => `<div class="k4" id="c${String(n)}"><div class="k5"><img src=/a.png><b>${w.name()}</b> <a href="#c${String(n)}">${String(1 + (n % 12))} March 2019, 10:${String(10 + n)}</a></div><div class="k6"><p>${w.prose(2)}</p></div><a href="#reply">Reply</a></div>`)}</div></div><div class="k9">${w.menu(20)}</div>`,
    ),
  'WordPress block theme': (w) =>
    w.page(
      `<div class="wp-site-blocks"><header class="wp-block-template-part"><div class="wp-block-group">${w.menu(5)}</div></header><main class="wp-block-group" id="wp--skip-link--target"><div class="wp-block-group has-global-padding"><h1 class="wp-block-post-title">${w.title}</h1></div><div class="entry-content alignwide wp-block-post-content">${w.p(3)}<h2 class="wp-block-heading">${w.say(w.words(4))}</h2>${w.p(2)}<figure class="wp-block-gallery has-nested-images columns-3">${w.each(12, () => `<figure class="wp-block-image"><img src=/i.jpg alt="x"><figcaption class="wp-element-caption">${w.prose(1)}</figcaption></figure>`)}</figure>${w.p(3)}<div class="wp-block-columns"><div class="wp-block-column"><h3>${w.say(w.words(3))}</h3>${w.p(1)}</div><div class="wp-block-column"><h3>${w.say(w.words(3))}</h3>${w.p(1)}</div></div><div id="jp-relatedposts" class="jp-relatedposts"><h3 class="jp-relatedposts-headline"><em>Related</em></h3>${w.each(3, () => `<div class="jp-relatedposts-post"><h4>${w.link(6)}</h4><p>${w.prose(2)}</p></div>`)}</div></div><div class="wp-block-post-author"><div class="wp-block-post-author__content"><p class="wp-block-post-author__name">${w.name()}</p><p class="wp-block-post-author__bio">${w.prose(3)}</p></div></div><div class="wp-block-comments">${w.each(5, () => `<li><div class="wp-block-comment-content"><p>${w.prose(2)}</p></div></li>`)}</div></main><footer class="wp-block-template-part">${w.prose(2)}</footer></div>`,
    ),
  'Elementor, each paragraph in a widget': (w) =>
    w.page(
      `<header data-elementor-type="header" class="elementor elementor-5 elementor-location-header">${w.menu()}</header><div data-elementor-type="wp-page" class="elementor elementor-12">${w.each(9, (n) => `<section class="elementor-section elementor-top-section elementor-element"><div class="elementor-container elementor-column-gap-default"><div class="elementor-column elementor-col-100 elementor-top-column"><div class="elementor-widget-wrap elementor-element-populated"><div class="elementor-element elementor-widget elementor-widget-heading" data-widget_type="heading.default"><div class="elementor-widget-container"><h2 class="elementor-heading-title">${n % 3 === 0 ? w.say(w.words(4)) : ''}</h2></div></div><div class="elementor-element elementor-widget elementor-widget-text-editor" data-widget_type="text-editor.default"><div class="elementor-widget-container">${w.p(w.between(1, 2))}</div></div></div></div></div></section>`)}</div><footer class="elementor elementor-location-footer"><div class="elementor-widget elementor-widget-text-editor"><p>${w.prose(3)}</p></div></footer>`,
      '',
      '<body class="page-template-default page elementor-default elementor-page">',
    ),
  'Divi, boxes of unlike depth': (w) =>
    w.page(
      `<div id="page-container"><header id="main-header">${w.menu()}</header><div id="et-main-area"><div id="main-content"><div id="et-boc"><div class="et_builder_inner_content et_pb_gutters3">${w.each(6, (n) => `<div class="et_pb_section et_pb_section_${String(n)} et_section_regular"><div class="et_pb_row">${n % 2 === 0 ? '<div class="et_pb_column et_pb_column_4_4"><div class="et_pb_row_inner"><div class="et_pb_column_inner">' : '<div class="et_pb_column et_pb_column_4_4">'}<div class="et_pb_module et_pb_text"><div class="et_pb_text_inner">${w.p(1, 4)}</div></div></div>${n % 2 === 0 ? '</div></div>' : ''}<div class="et_pb_module et_pb_button_module_wrapper"><a class="et_pb_button" href="/b">${w.words(2)}</a></div></div></div>`)}</div></div></div><footer id="main-footer"><div class="footer-widget">${w.prose(3)}</div></footer></div></div>`,
    ),
  'Blogger, line breaks': (w) =>
    w.page(
      `<div class="content"><header>${w.menu(4)}</header><div class="main-outer"><div class="columns fauxcolumns"><div class="column-center-outer"><div class="main section" id="main"><div class="widget Blog" id="Blog1"><div class="blog-posts hfeed"><div class="date-outer"><h2 class="date-header"><span>Friday, 3 May 2013</span></h2><div class="post hentry uncustomized-post-template"><h3 class="post-title entry-title">${w.title}</h3><div class="post-body entry-content"><div dir="ltr">${w.each(7, () => w.line(), '<br /><br />')}</div></div><div class="post-footer">Posted by ${w.name()}</div></div></div></div><div class="comments" id="comments"><h4>25 comments:</h4><div id="comments-block"><dl>${w.each(25, () => `<dt class="comment-author">${w.name()} said...</dt><dd class="comment-body"><p>${w.prose(3)}</p></dd><dd class="comment-footer"><a href="#">4 May 2013 at 11:0</a></dd>`)}</dl></div></div></div></div></div></div><aside><div class="sidebar section"><div class="widget">${w.menu(30)}</div></div></aside></div></div>`,
    ),
  'Medium-like, hashed names, two sections': (w) =>
    w.page(
      `<div id="root"><div class="a b c"><div class="d e">${w.menu(3)}</div><div class="f"><article><section class="dx"><div class="l m"><h1 class="hj hk">${w.title}</h1><div class="ab q"><p class="be b">${w.name()}</p><p class="be b">Follow</p></div>${w.each(5, () => `<p class="pw-post-body-paragraph nt nu">${w.line()}</p>`)}</div></section><div class="cc"><p>${w.prose(1)}</p><button>Sign up</button></div><section class="dy"><div class="l m">${w.each(6, () => `<p class="pw-post-body-paragraph nt nu">${w.line()}</p>`)}</div></section></article></div><div class="g h"><h2>Recommended from Medium</h2>${w.each(6, () => `<div class="i"><div class="j"><a href="/r"><h2>${w.words(8)}</h2><div><p>${w.words(14)}</p></div></a></div></div>`)}</div></div></div>`,
      `<meta property="og:type" content="article">`,
    ),
  'Author box, promotion, newsletter': (w) =>
    w.page(
      `${cookies}<div class="site-container"><header class="site-header">${w.menu()}</header><div class="site-inner"><main class="content"><article class="entry"><h1 class="entry-title">${w.title}</h1><div class="disclosure"><p>${w.prose(1)}</p></div><div class="entry-content">${w.p(3)}<div class="promo-box"><h4>${w.words(4)}</h4><p>${w.prose(2)}</p><a href="/buy">${w.words(2)}</a></div>${w.p(3)}<div class="newsletter-signup"><p>${w.prose(2)}</p></div>${w.p(3)}</div></article><section class="author-box"><h4>About ${w.name()}</h4><div class="author-box-content"><p>${w.prose(4)}</p></div></section><div class="related-posts"><h3>You may also like</h3>${w.each(4, () => `<div class="post-item"><h4>${w.link(6)}</h4><p>${w.prose(2)}</p></div>`)}</div></main><div class="sidebar"><section class="widget"><p>${w.prose(3)}</p></section></div></div></div>`,
    ),
  'Recipe with its card and comments': (w) =>
    w.page(
      `<div class="site"><div class="site-header">${w.menu()}</div><main><article class="post"><h1>${w.title}</h1><a class="wprm-recipe-jump" href="#r">Jump to Recipe</a><div class="entry-content">${w.p(4)}<div class="wprm-recipe-container" id="r"><h2>${w.say(w.words(3))}</h2><div class="wprm-recipe-summary">${w.line(1)}</div><h3>${w.say('Ingredients')}</h3><ul class="wprm-recipe-ingredients">${w.each(8, () => `<li>${w.say(`${String(w.between(1, 9))} ${w.words(3)}`)}</li>`)}</ul><h3>${w.say('Instructions')}</h3><ol>${w.each(5, () => `<li>${w.line(2)}</li>`)}</ol></div></div></article><div class="comments"><ul class="comment-list">${w.each(50, () => `<li class="comment"><div class="comment-author">${w.name()} says</div><div class="comment-content"><p>${w.prose(3)}</p></div></li>`)}</ul></div></main></div>`,
    ),
  'Short post, long sidebar and footer': (w) =>
    w.page(
      `<div id="site"><div id="top">${w.menu()}</div><div id="mid"><div id="left"><div class="entry"><h2>${w.title}</h2>${w.p(2, 2)}</div></div><div id="right">${w.each(5, () => `<div><h4>${w.words(2)}</h4><p>${w.prose(3)}</p></div>`)}</div></div><div id="bottom"><p>${w.prose(4)}</p></div></div>`,
    ),
};
