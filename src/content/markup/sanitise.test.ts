import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DefaultTreeAdapterTypes as Html,
  html as names,
  parseFragment,
  serialize,
} from 'parse5'
import { renderMarkdown } from './markdown.ts'
import { sanitise } from './sanitise.ts'
import { BASIC, FULL, MARKDOWN, RESTRICTED, type Vocabulary } from './vocabulary.ts'

const VOCABULARIES = { BASIC, FULL, MARKDOWN, RESTRICTED }
const URLS = ['href', 'src', 'cite', 'poster', 'data-href', 'data-src', 'data-cite', 'data-poster']
const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:', 'ftp:']
const BASE = 'https://page.example/a/'

const SCRIPT_URLS = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001\u001fjavascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'java\r\nscript:alert(1)',
  'java\0script:alert(1)',
  'javascript\t:alert(1)',
  'java&#9;script:alert(1)',
  'java&#x0A;script:alert(1)',
  'java&Tab;script:alert(1)',
  'java&NewLine;script:alert(1)',
  '&#106;&#97;&#118;&#97;script:alert(1)',
  '&#x6A&#x61&#x76&#x61script:alert(1)',
  '&#0000106&#0000097&#0000118&#0000097script:alert(1)',
  '&#x0000000000006Aavascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript&#58;alert(1)',
  'javascript&#x3a;alert&lpar;1&rpar;',
  'feed:javascript:alert(1)',
  'view-source:javascript:alert(1)',
  'vbscript:msgbox(1)',
  'livescript:x',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'DATA:image/svg+xml,<svg onload=alert(1)>',
  'blob:https://x.example/1',
  'file:///etc/passwd',
  'filesystem:https://x.example/temporary/x',
  '\u00a0javascript:alert(1)',
  '\u2028javascript:alert(1)',
  '&nbsp;javascript:alert(1)',
  'javascript:/*--></title></style></textarea></script></xmp><svg onload=alert(1)>',
]

const HOSTILE = [
  ...SCRIPT_URLS.flatMap((url) => [
    `<a href="${url}">a</a>`,
    `<a href='${url}'>a</a>`,
    `<a href=${url}>a</a>`,
    `<img src="${url}">`,
    `<img srcset="/a.png 1x, ${url} 2x">`,
    `<video poster="${url}" src="${url}"></video>`,
    `<blockquote cite="${url}" data-href="${url}">q</blockquote>`,
    `[a](${url})`,
    `[a](<${url}>)`,
    `![a](${url})`,
    `<${url}>`,
    `[a]\n\n[a]: ${url}`,
  ]),
  // Elements whose content a browser reads otherwise than it was read before.
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<svg><style><!--</style><img src=x onerror=alert(1)>--></style></svg>',
  '<svg><p><style><img src="</style><img src=x onerror=alert(1)//">',
  '<svg><![CDATA[</svg><img src=x onerror=alert(1)>]]></svg>',
  '<svg><![CDATA[><image xlink:href="]]><img src=xx:x onerror=alert(1)//"></svg>',
  '<svg><foreignObject><iframe srcdoc="<script>alert(1)</script>"></foreignObject></svg>',
  '<svg/><img src=x onerror=alert(1)>',
  '<svg><svg></svg><img src=x onerror=alert(1)></svg><b onclick=x>after</b>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate attributeName=href values=javascript:alert(1) /><a><text>x',
  '<svg><title><a id="</title><img src=x onerror=alert(1)>"></title></svg>',
  '<svg><desc><noscript><a title="</noscript><img src=x onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<math><mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></mtext></math>',
  '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
  '<math href="javascript:alert(1)">x</math>',
  '<math><mi><![CDATA[<img src=x onerror=alert(1)>]]></mi></math>',
  '<template><img src=x onerror=alert(1)></template><b>x</b>',
  '<template><template></template><script>alert(1)</script></template>',
  '<template><style></template><img src=x onerror=alert(1)></style>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<noscript><style></noscript><img src=x onerror=alert(1)>//</style>',
  '<style><a title="</style><img src=x onerror=alert(1)>"></style>',
  '<style>*{background:url("</style><img src=x onerror=alert(1)>")}</style>',
  '<title><a title="</title><img src=x onerror=alert(1)>"></title>',
  '<textarea><a title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<xmp><a title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<iframe><a title="</iframe><img src=x onerror=alert(1)>"></iframe>',
  '<noembed><img title="</noembed><img src=x onerror=alert(1)>"></noembed>',
  '<noframes><img title="</noframes><img src=x onerror=alert(1)>"></noframes>',
  '<plaintext><img src=x onerror=alert(1)></plaintext>',
  '<script><!--<script></script><img src=x onerror=alert(1)>--></script>',
  '<script>"</script><img src=x onerror=alert(1)>"</script>',
  '<select><option><img src=x onerror=alert(1)></select>',
  '<select><style></select><img src=x onerror=alert(1)></style>',
  '<object><object></object><embed src=javascript:alert(1)></object>',
  '<object data="javascript:alert(1)"><p onclick=x>x</object>',
  '<embed src="javascript:alert(1)">after',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
  '<table><svg><p></table><img src=x onerror=alert(1)>',
  '<table><td><script>alert(1)</script><table><input onfocus=alert(1) autofocus>',
  '<a><table><a href="javascript:alert(1)">x</table></a>',
  '<p><a><b><p></a><i onclick=x></p></b>',
  // Attributes.
  '<img src="x" src="javascript:alert(1)" onerror=alert(1) onerror=alert(2)>',
  '<a href="/ok" href="javascript:alert(1)" HREF=javascript:alert(1)>x</a>',
  '<a href="/ok"href=javascript:alert(1)onclick=alert(1)>x</a>',
  '<a/href="/ok"/onclick=alert(1)/>x</a>',
  '<img src=`x`onerror=alert(1)>',
  '<img src="x" `onerror=alert(1)>',
  '<img """><script>alert(1)</script>">',
  '<img src=x:alert(1) onerror=eval(src)>',
  '<img alt="a" x="<b onclick=x>" onerror\n=\nalert(1)>',
  '<img src=x onerror =alert(1)>',
  '<img src=x =onerror=alert(1)>',
  "<img src='x' title='\"><img src=x onerror=alert(1)>'>",
  '<img title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">',
  '<img title="&#34;&#62;&#60;img src=x onerror=alert(1)&#62;">',
  '<p class="&quot onclick=alert(1)">x</p>',
  '<p class="a&#13;b&#0;c&#x1;d&#x80;&#xD800;&#x110000;">x</p>',
  '<p style="background:url(javascript:alert(1))" class=x>x</p>',
  '<a target="_blank" rel="opener" href="/a">x</a>',
  '<a href="//evil.example" ping="https://evil.example" download>x</a>',
  '<base href="https://evil.example/"><a href="x">x</a>',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
  '<body onload=alert(1)><html onclick=x><head><frameset onload=alert(1)>',
  '<details open ontoggle=alert(1)><summary onclick=x>x</summary></details>',
  '<video><source onerror=alert(1) srcset="javascript:alert(1)"></video>',
  '<p data-onclick="x" data-style="x" data-srcset="javascript:x" data-x="javascript:y">x</p>',
  '<p data-HREF="javascript:alert(1)" data-formaction=javascript:x data-a.b="c" data-="d">x</p>',
  // Null bytes, broken and never-ending tags, comments, declarations.
  '<scr\0ipt>alert(1)</scr\0ipt><\0script>alert(1)</script>',
  '<img src=x o\0nerror=alert(1)><a hr\0ef="javascript:alert(1)">x</a>',
  '<img src="x\0" onerror=alert(1)>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1)//<</script>',
  '<script/xss>alert(1)</script/xss>',
  '<script\n>alert(1)</script\n>',
  '<script>alert(1)',
  '<img src=x onerror=alert(1)',
  '<img src=x onerror=alert(1)//',
  '<img src="x onerror=alert(1)>',
  '<a href="/x" title="<img src=x onerror=alert(1)>',
  '</p onclick=alert(1)><b </b onclick=x>>x',
  '</><//><? php ?></ x><!x><!><!->',
  '< img src=x onerror=alert(1)><\u00a0img src=x onerror=alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!---><img src=x onerror=alert(1)>-->',
  '<!--<img src="--><img src=x onerror=alert(1)//">-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  '<!-- never ended <img src=x onerror=alert(1)>',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y "<script>">]><p>&y;',
  '<?php echo "<img src=x onerror=alert(1)>" ?>',
  // References.
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;script&amp;gt;',
  '&#60;img src=x onerror=alert(1)&#62; &#x3c;b&#x3e; &lt;b &LT;b &ltb',
  '&lt<b onclick=x>&notit; &copy &copy; &unknown; &#; &#x; &#0; &#13; & &&amp;&',
  // Markdown that becomes HTML.
  '```js" onclick="alert(1)\nx\n```',
  '![a" onerror="alert(1)](x "b\\" onerror=\\"alert(1)")',
  '[a](x "b" onclick="alert(1)")',
  '<div\n\n<img src=x onerror=alert(1)>\n\n</div>',
  '`<img src=x onerror=alert(1)>`',
  '<pre><code>\n\n<script>\n\nalert(1)\n\n</script>',
  '|a|\n|-|\n|<img src=x onerror=alert(1)>|',
  '😀<b>😀</b><img title="😀" src=x onerror=alert(1)>\ud83d<b>\ude00',
]

for (const [name, vocabulary] of Object.entries(VOCABULARIES)) {
  test(`${name}: nothing but the vocabulary is left of hostile markup, and sanitising it again changes nothing`, () => {
    for (const text of HOSTILE) assertSafe(text, vocabulary)
  })
}

test('nothing but the vocabulary is left of any mixture of hostile pieces', () => {
  const pieces = HOSTILE.flatMap((text) => [text, ...text.split(/(?=[<>"'&=])/)])
  const next = createSequence(20_261_116)
  for (let round = 0; round < 1_000; round++) {
    const text = Array.from({ length: 1 + next(8) }, () => pieces[next(pieces.length)]).join('')
    assertSafe(text, round % 2 === 0 ? FULL : MARKDOWN)
  }
})

test('elements in each other are dropped as a whole, what follows them is shown', () => {
  const cases = [
    ['<svg><svg></svg><b>in</b></svg><b>x</b>', '<b>x</b>'],
    ['<svg/><b>x</b>', '<b>x</b>'],
    ['<svg><![CDATA[</svg>]]></svg>x', 'x'],
    ['<object><style></object></style>in</object>x', 'x'],
    ['<textarea></textar</textarea>x', 'x'],
    ['<embed src="/a">x', 'x'],
    ['<script><!--<script></script>in--></script>x', 'x'],
  ] as const
  for (const [text, html] of cases) assert.equal(sanitise(text, FULL), html, text)
})

test('attributes show what a browser reads, written anew', () => {
  const cases = [
    ['<a href="/?a&amp;b&copy;&quot;">x</a>', '<a href="/?a&amp;b©&quot;">x</a>'],
    ["<a title='<>'>x</a>", '<a title="&lt;&gt;">x</a>'],
    ['<a title="a\r\nb&#13;c" title=d>x</a>', '<a title="a\nbc">x</a>'],
    ['<a target=_top rel=opener>x</a>', '<a target="_top" rel="noopener noreferrer">x</a>'],
  ] as const
  for (const [text, html] of cases) assert.equal(sanitise(text, FULL), html, text)
})

test('ends without a beginning cost no more than others', () => {
  const startedMs = performance.now()
  sanitise(`${'<b>'.repeat(50_000)}${'</i>'.repeat(50_000)}`, FULL)
  sanitise(`<p ${Array.from({ length: 50_000 }, (_, at) => `a${at}=b`).join(' ')}>`, FULL)
  sanitise('<svg>'.repeat(50_000) + '</svg>'.repeat(50_000), FULL)
  assert.ok(performance.now() - startedMs < 5_000)
})

function assertSafe(text: string, vocabulary: Vocabulary): void {
  const source = vocabulary === MARKDOWN ? renderMarkdown(text) : text
  for (const keepsData of [false, true]) {
    const html = sanitise(source, vocabulary, keepsData)
    assert.equal(sanitise(html, vocabulary, keepsData), html, `sanitised again: ${text}`)
    for (const scriptingEnabled of [false, true]) {
      const tree = parseFragment(html, { scriptingEnabled })
      assertTree(tree, vocabulary, keepsData, text)
      // What a page does that takes its own HTML and parses it once more.
      assertTree(parseFragment(serialize(tree), { scriptingEnabled }), vocabulary, keepsData, text)
    }
  }
}

function assertTree(
  tree: Html.DocumentFragment,
  vocabulary: Vocabulary,
  keepsData: boolean,
  text: string,
): void {
  const waiting: Html.ChildNode[] = [...tree.childNodes]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.nodeName === '#text') continue
    assert.ok('tagName' in node, `${node.nodeName} in what is left of ${text}`)
    const allowed = vocabulary.get(node.tagName)
    assert.ok(allowed, `<${node.tagName}> in what is left of ${text}`)
    assert.equal(node.namespaceURI, names.NS.HTML)
    for (const { name, value } of node.attrs) assertAttribute(name, value, allowed, keepsData, text)
    waiting.push(...node.childNodes)
  }
}

function assertAttribute(
  name: string,
  value: string,
  allowed: readonly string[],
  keepsData: boolean,
  text: string,
): void {
  const isData = keepsData && /^data-(?!on|style|src(?:set|doc))[a-z]/.test(name)
  assert.ok(isData || allowed.includes(name), `${name} in what is left of ${text}`)
  if (URLS.includes(name)) assertUrl(value, text)
  if (name === 'srcset') for (const part of value.split(',')) assertUrl(part, text)
}

/** By the URL parser that browsers have, not by the rule that is tested. */
function assertUrl(value: string, text: string): void {
  if (!URL.canParse(value, BASE)) return
  const { protocol } = new URL(value, BASE)
  assert.ok(SCHEMES.includes(protocol), `${protocol} in what is left of ${text}`)
}

/** The same numbers in every run (mulberry32). */
function createSequence(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
