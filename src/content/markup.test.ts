import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkup } from './markup.ts'

const CASES: readonly (readonly [format: string, text: string, html: string])[] = [
  ['basic_html', '<p>Hi</p>', '<p>Hi</p>'],
  ['basic_html', '<p>Hi', '<p>Hi</p>'],
  ['basic_html', '</p>Hi & <b>x</i>', 'Hi &amp; <b>x</b>'],
  ['basic_html', '&lt;b&gt; &#38; &copy;', '&lt;b&gt; &#38; &copy;'],
  ['basic_html', '<script>alert(1)</script>ok', 'ok'],
  ['basic_html', '<SCRIPT>alert(1)', ''],
  ['basic_html', '<p onclick="x()" class="a">Hi</p>', '<p class="a">Hi</p>'],
  ['basic_html', '<a href="javascript:x()">a</a>', '<a>a</a>'],
  ['basic_html', '<a href="java&#10;script:x()">a</a>', '<a>a</a>'],
  ['basic_html', '<a href="&#106;avascript:x()">a</a>', '<a>a</a>'],
  ['basic_html', '<a href="javascript&colon;x()">a</a>', '<a>a</a>'],
  ['basic_html', '<a href=" JaVaScRiPt:x()">a</a>', '<a>a</a>'],
  ['basic_html', '<img src="data:text/html,x">', '<img>'],
  ['basic_html', '<a href="/a:b">a</a>', '<a href="/a:b">a</a>'],
  ['basic_html', '<a href="a&quot;b">a</a>', '<a href="a&quot;b">a</a>'],
  ['basic_html', '<img src="/x.png" onerror=alert(1)>', '<img src="/x.png">'],
  ['basic_html', '<img/src=x onerror=alert(1)//', '&lt;img/src=x onerror=alert(1)//'],
  ['basic_html', '<!-- <b>x</b> -->y', 'y'],
  ['basic_html', '<p title="<img src=x onerror=alert(1)>">x</p>', '<p>x</p>'],
  ['basic_html', '<scr<script>x</script>ipt>', 'xipt&gt;'],
  ['basic_html', '<svg><a href="x"></svg>y', 'y'],
  ['basic_html', '<table><tr><td>x</td></tr></table>', 'x'],
  ['full_html', '<table><tr><td>x</td></tr></table>', '<table><tr><td>x</td></tr></table>'],
  ['restricted_html', '<img src="/x.png">y', 'y'],
  ['plain_text', 'a <b>\nc\n\nd', '<p>a &lt;b&gt;<br>\nc</p>\n<p>d</p>'],
  ['markdown', '# A *b*', '<h1>A <em>b</em></h1>'.replaceAll(/<\/?h1>/g, '')],
  ['markdown', '## A **b**\n\ntext', '<h2>A <strong>b</strong></h2>\n<p>text</p>'],
  ['markdown', '- a\n- b\n  - c', '<ul>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>'],
  ['markdown', '[x](javascript:y) `a<b`', '<p><a>x</a> <code>a&lt;b</code></p>'],
  ['markdown', '> q\n\n---', '<blockquote>\n<p>q</p>\n</blockquote>\n<hr>'],
  ['markdown', '```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
  [
    'markdown',
    '| a | b |\n|---|:-:|\n| *x* | <script>y</script> |',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
      '<td><em>x</em></td>\n<td></td>\n</tr>\n</tbody>\n</table>',
  ],
  [
    'markdown',
    '~~a~~ <https://x.example/?a=1&b=2>',
    '<p><s>a</s> <a href="https://x.example/?a=1&amp;b=2">https://x.example/?a=1&amp;b=2</a></p>',
  ],
  ['markdown', 'a [b]\n\n[b]: /c "d"', '<p>a <a href="/c" title="d">b</a></p>'],
]

for (const [format, text, html] of CASES) {
  test(`${format}: ${JSON.stringify(text)}`, () => {
    assert.equal(renderMarkup(text, format), html)
  })
}

test('long input without an end takes no long time', () => {
  const startedMs = performance.now()
  for (const text of [
    '<'.repeat(50_000),
    '<a '.repeat(50_000),
    '**'.repeat(50_000),
    '['.repeat(50_000),
  ]) {
    renderMarkup(text, 'full_html')
    renderMarkup(text, 'markdown')
  }
  assert.ok(performance.now() - startedMs < 5_000)
})

test('data attributes stay where they are asked for and could not be taken for something that runs', () => {
  const html =
    '<a data-entry="7" data-href="javascript:x" data-onclick="x" data-href-lang="da" href="/a">a</a>'
  assert.equal(renderMarkup(html, 'basic_html'), '<a href="/a">a</a>')
  assert.equal(
    renderMarkup(html, 'basic_html', { keepsData: true }),
    '<a data-entry="7" data-href-lang="da" href="/a">a</a>',
  )
})
