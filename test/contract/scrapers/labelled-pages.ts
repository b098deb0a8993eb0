/**
 * Pages written for these tests, each built in another way, and what a person says of them: labels are written
 * by hand from the page as it is shown, not from what an extraction made of it.
 */
interface LabelledPage {
  readonly layout: string
  readonly html: string
  readonly title: string
  readonly author: string | null
  readonly language: string | null
  /** The day it was published, null when the page does not say. */
  readonly published: string | null
  /** The article, paragraph by paragraph, without what stands around it. */
  readonly text: readonly string[]
}

const LINKS = ['Home', 'Weather', 'Tides', 'Letters', 'Archive', 'Subscribe to our newsletter']
const MENU = `<ul>${LINKS.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')}</ul>`

export const LABELLED_PAGES: readonly LabelledPage[] = [
  {
    layout: 'paragraphs that are only line breaks in one cell of a layout table',
    html: `<html><head><title>Salt roads of the north coast</title></head><body bgcolor=white>
<table width=760><tr><td colspan=2><img src=logo.gif alt=""><br>${LINKS.map((name) => `<a href=/${name}>${name}</a>`).join(' | ')}</td></tr>
<tr><td width=140 valign=top>${LINKS.map((name) => `<a href=/${name}>${name}</a><br>`).join('')}</td><td valign=top>
<font size=5><b>Salt roads of the north coast</b></font><br><br>
Before the railway came, salt left the coast on the backs of mules, forty animals in a line, led by a single boy who knew every spring on the way.<br><br>
The road was never wider than one mule. Where two trains met, the one that carried salt had the right of way, and the one with grain backed up to the last bend.<br><br>
Of the eleven inns along it three are still open; in the oldest, the hooks for the saddles hang beside the coffee machine, and nobody has asked for them since 1931.
</td></tr><tr><td colspan=2><font size=1>Page made with a text editor. Visitors: 10482</font></td></tr></table></body></html>`,
    ...{ title: 'Salt roads of the north coast', author: null, language: null, published: null },
    text: [
      'Before the railway came, salt left the coast on the backs of mules, forty animals in a line, led by a single boy who knew every spring on the way.',
      'The road was never wider than one mule. Where two trains met, the one that carried salt had the right of way, and the one with grain backed up to the last bend.',
      'Of the eleven inns along it three are still open; in the oldest, the hooks for the saddles hang beside the coffee machine, and nobody has asked for them since 1931.',
    ],
  },
  {
    layout: 'microdata: itemprop for headline, author, date and articleBody',
    html: `<!doctype html><html lang="en-IE"><head><title>Slack water: the hour that belongs to nobody | Tide Table</title></head><body>
<nav>${MENU}</nav><div itemscope itemtype="https://schema.org/Article"><h1 itemprop="headline">Slack water: the hour that belongs to nobody</h1>
<span itemprop="author" itemscope itemtype="https://schema.org/Person">by <span itemprop="name">Orla Keane</span></span>
<time itemprop="datePublished" datetime="2025-11-02">2 November</time><div itemprop="articleBody">
<p>Twice a day the harbour stops. The current, which has been pulling at the moorings since breakfast, lets go, and the boats turn to face wherever they please.</p>
<p>Divers call it their office hour. There is time to follow one chain to its end, to free one propeller, or to look for one wedding ring, but never for two of these.</p>
<p>Then the first weed begins to lean, all of it at once and all in the same direction, like a congregation that has heard the door.</p></div></div>
<aside><h3>Most read</h3>${MENU}</aside></body></html>`,
    ...{ title: 'Slack water: the hour that belongs to nobody', author: 'Orla Keane' },
    ...{ language: 'en-IE', published: '2025-11-02' },
    text: [
      'Twice a day the harbour stops. The current, which has been pulling at the moorings since breakfast, lets go, and the boats turn to face wherever they please.',
      'Divers call it their office hour. There is time to follow one chain to its end, to free one propeller, or to look for one wedding ring, but never for two of these.',
      'Then the first weed begins to lean, all of it at once and all in the same direction, like a congregation that has heard the door.',
    ],
  },
  {
    layout: 'an article with advertisements and a newsletter form between its paragraphs',
    html: `<!doctype html><html lang="en"><head><title>The woman who tunes lighthouses - Coast Weekly</title>
<meta property="og:title" content="The woman who tunes lighthouses"><meta property="og:site_name" content="Coast Weekly">
<meta property="article:published_time" content="2026-01-20T07:30:00+01:00"><meta name="author" content="Petra Holm"></head><body>
<header>${MENU}</header><main><article><h1>The woman who tunes lighthouses</h1>
<p>A lighthouse is a clock that only tells one time. Ada Brun listens to it for an hour before she opens her case, because the sound of the bearing says more than any gauge.</p>
<div class="ad advertisement"><p>Advertisement: cruise the fjords from 499, book before Sunday!</p></div>
<p>She has nineteen of them, between the border and the cape, and a boat that is older than eleven. Each has its own rhythm, and each is out of tune in its own way.</p>
<form class="newsletter-signup"><p>Get Coast Weekly in your inbox every Friday</p><input name="email"><button>Sign up</button></form>
<p>When the last keeper left in 1998 he handed her a notebook without a word on it, only dots and dashes, page after page: every night of the winter of 1962.</p>
</article></main><section class="comments"><h2>Comments</h2><p>Lovely piece, my uncle kept the one at Skarv.</p></section></body></html>`,
    ...{ title: 'The woman who tunes lighthouses', author: 'Petra Holm', language: 'en' },
    published: '2026-01-20',
    text: [
      'A lighthouse is a clock that only tells one time. Ada Brun listens to it for an hour before she opens her case, because the sound of the bearing says more than any gauge.',
      'She has nineteen of them, between the border and the cape, and a boat that is older than eleven. Each has its own rhythm, and each is out of tune in its own way.',
      'When the last keeper left in 1998 he handed her a notebook without a word on it, only dots and dashes, page after page: every night of the winter of 1962.',
    ],
  },
  {
    layout: 'a recipe: lists of ingredients and of steps are the text',
    html: `<!doctype html><html lang="en-AU"><head><title>Fish soup for a wet day</title><script type="application/ld+json">
{"@context":"https://schema.org","@type":"Recipe","name":"Fish soup for a wet day","author":{"@type":"Person","name":"Nils Aro"},"datePublished":"2024-06-09"}</script></head>
<body><div id="header">${MENU}</div><div class="recipe content"><h1>Fish soup for a wet day</h1>
<p>This is the soup that the crew of the pilot boat eats when nobody can go out, and it takes as long to make as the weather takes to decide.</p>
<h2>What goes in</h2><ul><li>One kilogram of whatever white fish was not sold, with the heads</li><li>Four potatoes, and a fifth if someone comes in late</li><li>Half a litre of milk, which must not boil</li></ul>
<h2>What to do</h2><ol><li>Simmer the heads for twenty minutes and throw them to the gulls, who have been waiting since you began.</li>
<li>Cook the potatoes in the broth until a fork goes through without an argument, then put in the fish and take the pot off the fire.</li>
<li>Add the milk last, and salt only now, because the sea has already had its say.</li></ol></div>
<div id="footer">Printed from the pages of nobody in particular. ${MENU}</div></body></html>`,
    ...{ title: 'Fish soup for a wet day', author: 'Nils Aro', language: 'en-AU' },
    published: '2024-06-09',
    text: [
      'This is the soup that the crew of the pilot boat eats when nobody can go out, and it takes as long to make as the weather takes to decide.',
      'What goes in',
      'One kilogram of whatever white fish was not sold, with the heads',
      'Four potatoes, and a fifth if someone comes in late',
      'Half a litre of milk, which must not boil',
      'What to do',
      'Simmer the heads for twenty minutes and throw them to the gulls, who have been waiting since you began.',
      'Cook the potatoes in the broth until a fork goes through without an argument, then put in the fish and take the pot off the fire.',
      'Add the milk last, and salt only now, because the sea has already had its say.',
    ],
  },
  {
    layout: 'Japanese: no spaces between words',
    html: `<!doctype html><html lang="ja"><head><title>灯台守の最後の夜</title><meta name="description" content="無人化された灯台の、最後の当直の記録。">
<meta property="article:published_time" content="2026-03-01T00:00:00Z"></head><body><nav>${MENU}</nav><article><h1>灯台守の最後の夜</h1>
<p>午前四時、霧が湾を満たすころ、灯台守はいつものように階段を百二十八段のぼった。数えるのは癖であり、祈りでもあったという。彼はその夜のことを、静かに、しかし細かく覚えていた。</p>
<p>翌朝には機械がすべてを引き継ぐことになっていた。彼は日誌の最後の頁に、風向きと気圧、そして通り過ぎた船の名前を三つ書き、それから長いあいだ、何も書かずに窓の外を見ていた。</p>
<p>灯りは今も同じ間隔で海を照らしている。変わったのは、それを見上げて帽子を取る人がいなくなったことだけだと、港の人々は言う。しかし、猫だけは今も階段の下で待っている。</p>
</article><footer>著作権表示</footer></body></html>`,
    ...{ title: '灯台守の最後の夜', author: null, language: 'ja', published: '2026-03-01' },
    text: [
      '午前四時、霧が湾を満たすころ、灯台守はいつものように階段を百二十八段のぼった。数えるのは癖であり、祈りでもあったという。彼はその夜のことを、静かに、しかし細かく覚えていた。',
      '翌朝には機械がすべてを引き継ぐことになっていた。彼は日誌の最後の頁に、風向きと気圧、そして通り過ぎた船の名前を三つ書き、それから長いあいだ、何も書かずに窓の外を見ていた。',
      '灯りは今も同じ間隔で海を照らしている。変わったのは、それを見上げて帽子を取る人がいなくなったことだけだと、港の人々は言う。しかし、猫だけは今も階段の下で待っている。',
    ],
  },
  {
    layout: 'Arabic, right to left, with Dublin Core names',
    html: `<!doctype html><html lang="ar" dir="rtl"><head><title>صيادو الفجر</title><meta name="dc.creator" content="ليلى منصور"><meta name="dcterms.created" content="2025-05-17"></head>
<body><div class="menu">${MENU}</div><div class="article-body"><h1>صيادو الفجر</h1>
<p>قبل أن تشرق الشمس يخرج الصيادون من الميناء القديم، واحدا تلو الآخر، من دون ضوء ومن دون كلام، كأن البحر نائم ولا أحد يريد أن يوقظه في هذه الساعة.</p>
<p>يعرف كل واحد منهم مكانه، فقد ورثه عن أبيه كما ورث القارب والشباك، ولم يكتب أحد هذه الأماكن على خريطة قط، لأن الخرائط كما يقولون للغرباء وحدهم.</p>
<p>عند الظهر يعودون جميعا، وتبدأ المدينة في الكلام من جديد، وترتفع أصوات الباعة فوق صوت الموج، حتى يظن الزائر أن الصمت لم يكن هنا في أي يوم.</p></div></body></html>`,
    ...{ title: 'صيادو الفجر', author: 'ليلى منصور', language: 'ar', published: null },
    text: [
      'قبل أن تشرق الشمس يخرج الصيادون من الميناء القديم، واحدا تلو الآخر، من دون ضوء ومن دون كلام، كأن البحر نائم ولا أحد يريد أن يوقظه في هذه الساعة.',
      'يعرف كل واحد منهم مكانه، فقد ورثه عن أبيه كما ورث القارب والشباك، ولم يكتب أحد هذه الأماكن على خريطة قط، لأن الخرائط كما يقولون للغرباء وحدهم.',
      'عند الظهر يعودون جميعا، وتبدأ المدينة في الكلام من جديد، وترتفع أصوات الباعة فوق صوت الموج، حتى يظن الزائر أن الصمت لم يكن هنا في أي يوم.',
    ],
  },
  {
    layout: 'an interview: questions are bold, answers are paragraphs',
    html: `<!doctype html><html lang="en-GB"><head><title>“I have never owned a map”</title><meta property="og:type" content="article"><meta property="og:title" content="“I have never owned a map”">
<meta name="author" content="Tom Vance"></head><body><header class="site-header">${MENU}</header><div class="wrap"><div class="story-body">
<h1>“I have never owned a map”</h1>
<p><strong>You have piloted ships into this harbour for thirty years. What is the first thing you look at?</strong></p>
<p>The birds. A map knows where the bottom was last year, but the terns know where the fish are this morning, and the fish know where the bottom is.</p>
<p><strong>And at night, when there are no birds?</strong></p>
<p>At night I look at the crew. If the man at the wheel stops talking, we are too close to something, whatever the instruments may say about it.</p>
<p><strong>Has it ever gone wrong?</strong></p>
<p>Once, and that was the day on which somebody gave me a map. It had a very fine drawing of a sandbank that had moved out in 1974.</p>
</div></div><footer class="site-footer">${MENU}</footer></body></html>`,
    ...{ title: '“I have never owned a map”', author: 'Tom Vance', language: 'en-GB' },
    published: null,
    text: [
      'You have piloted ships into this harbour for thirty years. What is the first thing you look at?',
      'The birds. A map knows where the bottom was last year, but the terns know where the fish are this morning, and the fish know where the bottom is.',
      'And at night, when there are no birds?',
      'At night I look at the crew. If the man at the wheel stops talking, we are too close to something, whatever the instruments may say about it.',
      'Has it ever gone wrong?',
      'Once, and that was the day on which somebody gave me a map. It had a very fine drawing of a sandbank that had moved out in 1974.',
    ],
  },
  {
    layout: 'a press release: nested sections, a quotation and a contact at the end',
    html: `<!doctype html><html lang="sv"><head><title>Hamnen får ny pir</title><meta name="description" content="Bygget börjar i april."><meta property="og:site_name" content="Hamnbolaget">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Hamnen får ny pir","datePublished":"2026-02-11T09:00:00+01:00","author":{"@type":"Organization","name":"Hamnbolaget"}}</script></head>
<body><div role="banner">${MENU}</div><main role="main"><section><header><h1>Hamnen får ny pir</h1></header><section>
<p>I april börjar bygget av den nya piren, som ska skydda småbåtarna mot höstens nordvästliga stormar och ge färjan en plats att vända på.</p>
<blockquote><p>Vi har väntat i tjugo år, och i tjugo år har vågorna kommit utan att fråga om lov, säger hamnkapten Eva Lund.</p></blockquote>
<p>Stenen hämtas från det gamla brottet på andra sidan sundet och fraktas över vattnet, så att ingen lastbil behöver köra genom staden.</p>
</section></section></main><div role="contentinfo">Kontakt: press@hamnbolaget.example ${MENU}</div></body></html>`,
    ...{
      title: 'Hamnen får ny pir',
      author: 'Hamnbolaget',
      language: 'sv',
      published: '2026-02-11',
    },
    text: [
      'I april börjar bygget av den nya piren, som ska skydda småbåtarna mot höstens nordvästliga stormar och ge färjan en plats att vända på.',
      'Vi har väntat i tjugo år, och i tjugo år har vågorna kommit utan att fråga om lov, säger hamnkapten Eva Lund.',
      'Stenen hämtas från det gamla brottet på andra sidan sundet och fraktas över vattnet, så att ingen lastbil behöver köra genom staden.',
    ],
  },
  {
    layout: 'a technical note: code blocks and a table belong to the text, the side bar does not',
    html: `<!doctype html><html lang="en"><head><title>Reading a tide gauge over a serial line</title><meta name="author" content="R. Dufour"><meta name="date" content="2025-08-30"></head>
<body><div class="container"><div class="sidebar">${MENU}${MENU}</div><div class="content markdown-body"><h1>Reading a tide gauge over a serial line</h1>
<p>The gauge sends one line of text every ten seconds, and nobody has ever written down what the seventh column means, so this note leaves it alone.</p>
<pre><code>$TIDE,20250830T0600Z,2.413,0.02,OK,11.9,?,4F</code></pre>
<p>The third column is the level in metres above the datum of the harbour, which is not that of the chart; add the offset of the table before you compare the two.</p>
<table><tr><th>Station</th><th>Offset</th></tr><tr><td>North mole</td><td>1.08</td></tr><tr><td>Old dock</td><td>0.97</td></tr></table>
<p>The last column is a checksum over everything between the dollar sign and the last comma, computed as it was done in 1987, with exclusive or.</p></div></div></body></html>`,
    ...{ title: 'Reading a tide gauge over a serial line', author: 'R. Dufour', language: 'en' },
    published: '2025-08-30',
    text: [
      'The gauge sends one line of text every ten seconds, and nobody has ever written down what the seventh column means, so this note leaves it alone.',
      '$TIDE,20250830T0600Z,2.413,0.02,OK,11.9,?,4F',
      'The third column is the level in metres above the datum of the harbour, which is not that of the chart; add the offset of the table before you compare the two.',
      'Station',
      'Offset',
      'North mole',
      '1.08',
      'Old dock',
      '0.97',
      'The last column is a checksum over everything between the dollar sign and the last comma, computed as it was done in 1987, with exclusive or.',
    ],
  },
  {
    layout: 'a page of divisions only, with figures and captions, and names that say nothing',
    html: `<!doctype html><html lang="pt-BR"><head><title>O cais que anda | Revista Maré</title><meta property="og:title" content="O cais que anda"><meta property="og:description" content="Uma cidade que muda de lugar com a areia."></head>
<body><div class="x1">${LINKS.map((name) => `<div class="x2"><a href="/${name}">${name}</a></div>`).join('')}</div><div class="x3"><div class="x4">O cais que anda</div>
<div class="x5">A cada dez anos a areia empurra a cidade um pouco mais para o norte, e a cidade, que já desistiu de discutir com o vento, desmonta o cais e o leva consigo.</div>
<figure><img src="/cais.jpg" alt=""><figcaption>O cais em 1954, quando ainda ficava diante da igreja.</figcaption></figure>
<div class="x5">As tábuas são numeradas. Quem as carrega recebe o número da sua tábua, e dizem que na família de Seu Anselmo a quarenta e dois já passou por quatro gerações.</div>
<div class="x5">O farol não anda. Ficou para trás, no meio das dunas, e de noite ilumina com muito cuidado um lugar onde não há mais nada, nem barco, nem gente, nem mar.</div></div>
<div class="x6">Leia também ${LINKS.map((name) => `<a href="/${name}">${name}</a>`).join(' ')}</div></body></html>`,
    ...{ title: 'O cais que anda', author: null, language: 'pt-BR', published: null },
    text: [
      'A cada dez anos a areia empurra a cidade um pouco mais para o norte, e a cidade, que já desistiu de discutir com o vento, desmonta o cais e o leva consigo.',
      'O cais em 1954, quando ainda ficava diante da igreja.',
      'As tábuas são numeradas. Quem as carrega recebe o número da sua tábua, e dizem que na família de Seu Anselmo a quarenta e dois já passou por quatro gerações.',
      'O farol não anda. Ficou para trás, no meio das dunas, e de noite ilumina com muito cuidado um lugar onde não há mais nada, nem barco, nem gente, nem mar.',
    ],
  },
  {
    layout: 'a question with an accepted and a second answer: all three are the text',
    html: `<!doctype html><html lang="en"><head><title>Why does the ferry turn round in the middle of the sound? - Ask a Sailor</title>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"QAPage","name":"Why does the ferry turn round in the middle of the sound?","dateCreated":"2025-12-01"}</script></head>
<body><div class="top-bar">${MENU}</div><div id="main"><div class="post question"><h1>Why does the ferry turn round in the middle of the sound?</h1>
<p>Every morning at about seven it goes half way across, makes a whole circle and then continues as if nothing had happened. I have watched it for two weeks now.</p></div>
<div class="post answer accepted"><p>It swings the compass. Once a week the deviation has to be checked on all headings, and the captain of that line likes to do it every day, with the passengers as witnesses.</p></div>
<div class="post answer"><p>That is the official reason. The other one is that the cook needs exactly four minutes without any rolling, and she has been on board for longer than the captain.</p></div></div>
<div class="side-bar"><h4>Related questions</h4>${MENU}</div></body></html>`,
    title: 'Why does the ferry turn round in the middle of the sound?',
    ...{ author: null, language: 'en', published: null },
    text: [
      'Every morning at about seven it goes half way across, makes a whole circle and then continues as if nothing had happened. I have watched it for two weeks now.',
      'It swings the compass. Once a week the deviation has to be checked on all headings, and the captain of that line likes to do it every day, with the passengers as witnesses.',
      'That is the official reason. The other one is that the cook needs exactly four minutes without any rolling, and she has been on board for longer than the captain.',
    ],
  },
]
