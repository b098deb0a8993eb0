// A small world of a harbour and its trade, so that a first look shows something.

export const AUTHORS = [
  { key: 'mara', name: 'Mara Lindqvist', email: 'mara@example.com' },
  { key: 'tomas', name: 'Tomás Ferreira', email: 'tomas@example.com' },
  { key: 'ines', name: 'Inès Okafor', email: 'ines@example.com' },
  { key: 'jonas', name: 'Jonas Brandt', email: 'jonas@example.com' },
] as const

export const CATEGORIES = [
  { key: 'ships', en: 'Ships', de: 'Schiffe' },
  { key: 'ports', en: 'Ports', de: 'Häfen' },
  { key: 'goods', en: 'Goods', de: 'Waren' },
  { key: 'people', en: 'People', de: 'Menschen' },
  { key: 'weather', en: 'Weather', de: 'Wetter' },
] as const

interface DemoText {
  readonly title: string
  readonly summary: string
  readonly body: string
}

interface DemoArticle {
  readonly author: string
  readonly categories: readonly string[]
  readonly en: DemoText
  readonly de?: DemoText
  /** Of the language it is a draft in. */
  readonly draft?: 'en' | 'de'
  readonly comments?: readonly (readonly [name: string, body: string])[]
}

export const ARTICLES: readonly DemoArticle[] = [
  {
    author: 'mara',
    categories: ['ports', 'people'],
    en: {
      title: 'Harbour cranes at first light',
      summary: 'How four crane drivers empty a ship before breakfast.',
      body: '<p>At five the quay is still dark. <strong>Crane 3</strong> moves first, because its driver lives nearest.</p><p>By eight the ship rides a metre higher, and the coffee is hot.</p>',
    },
    de: {
      title: 'Hafenkräne im ersten Licht',
      summary: 'Wie vier Kranführer ein Schiff vor dem Frühstück löschen.',
      body: '<p>Um fünf liegt der Kai noch im Dunkeln. <strong>Kran 3</strong> bewegt sich zuerst, denn sein Führer wohnt am nächsten.</p><p>Um acht liegt das Schiff einen Meter höher, und der Kaffee ist heiß.</p>',
    },
    comments: [
      ['Ada', 'I can see crane 3 from my window. It is always the first.'],
      ['Rui', 'A metre in three hours is good work.'],
    ],
  },
  {
    author: 'tomas',
    categories: ['goods'],
    en: {
      title: 'What an entrepôt was for',
      summary: 'Goods came in, waited for a better price, and went out again.',
      body: '<p>An entrepôt stored what others had made for people it would never meet. Its art was <em>order</em>: to know what lay where, whose it was, and when it had to leave.</p>',
    },
    de: {
      title: 'Wozu ein Entrepôt diente',
      summary: 'Waren kamen an, warteten auf einen besseren Preis und gingen wieder.',
      body: '<p>Ein Entrepôt lagerte, was andere gemacht hatten, für Leute, die es nie traf. Seine Kunst war <em>Ordnung</em>: zu wissen, was wo lag, wem es gehörte und wann es gehen musste.</p>',
    },
    comments: [['Lena', 'So it was a database with a roof.']],
  },
  {
    author: 'ines',
    categories: ['weather', 'ships'],
    en: {
      title: 'Reading fog by its sound',
      summary: 'Pilots hear the difference between near and far.',
      body: '<p>In thick fog the horn of a ferry seems to come from everywhere. Old pilots turn their head slowly and wait for the echo from the grain silo.</p>',
    },
    de: {
      title: 'Nebel mit den Ohren lesen',
      summary: 'Lotsen hören den Unterschied zwischen nah und fern.',
      body: '<p>In dichtem Nebel scheint das Horn einer Fähre von überall zu kommen. Alte Lotsen drehen langsam den Kopf und warten auf das Echo vom Getreidesilo.</p>',
    },
    draft: 'de',
    comments: [
      ['Sven', 'The silo echo is real. We use it every November.'],
      ['Noor', 'Please write about radar next.'],
    ],
  },
  {
    author: 'jonas',
    categories: ['ships'],
    en: {
      title: 'A short guide to mooring lines',
      summary: 'Head, breast, spring and stern: who holds what.',
      body: '<ul><li>Head and stern lines keep the ship along the quay.</li><li>Breast lines keep it close.</li><li>Springs keep it from walking.</li></ul>',
    },
    comments: [['Petra', 'Printed and pinned to the wheelhouse.']],
  },
  {
    author: 'mara',
    categories: ['people', 'goods'],
    en: {
      title: 'The last spice sorter of the old town',
      summary: 'She tells Ceylon from Cassia with closed eyes.',
      body: '<p>Her table is older than the customs house. “Machines are fast,” she says, “but they do not sneeze.”</p>',
    },
    de: {
      title: 'Die letzte Gewürzsortiererin der Altstadt',
      summary: 'Sie unterscheidet Ceylon von Cassia mit geschlossenen Augen.',
      body: '<p>Ihr Tisch ist älter als das Zollhaus. „Maschinen sind schnell“, sagt sie, „aber sie niesen nicht.“</p>',
    },
    comments: [
      ['Omar', 'My grandmother bought pepper from her.'],
      ['Ada', 'The closed eyes are not for show.'],
    ],
  },
  {
    author: 'tomas',
    categories: ['ports'],
    en: {
      title: 'Why the tide table is always printed',
      summary: 'Screens go dark; paper does not.',
      body: '<p>Every December the harbour office prints four thousand tide tables. Every January they are gone.</p>',
    },
    comments: [['Ilse', 'Four thousand and one. I asked for a second.']],
  },
  {
    author: 'ines',
    categories: ['weather'],
    en: {
      title: 'Storm signals, then and now',
      summary: 'From painted cones to a message on every bridge.',
      body: '<p>A cone point up meant a gale from the north. Today the same warning takes two seconds to reach two hundred ships.</p>',
    },
    de: {
      title: 'Sturmsignale einst und jetzt',
      summary: 'Von bemalten Kegeln zur Nachricht auf jeder Brücke.',
      body: '<p>Ein Kegel mit der Spitze nach oben bedeutete Sturm aus Nord. Heute erreicht dieselbe Warnung in zwei Sekunden zweihundert Schiffe.</p>',
    },
  },
  {
    author: 'jonas',
    categories: ['ships', 'goods'],
    en: {
      title: 'Loading a ship so that it floats level',
      summary: 'The arithmetic of weight, done with chalk.',
      body: '<p>Heavy goods low and in the middle; the rest follows from the rule that nobody wants to move anything twice.</p>',
    },
    draft: 'en',
  },
  {
    author: 'mara',
    categories: ['people'],
    en: {
      title: 'Night shift in the customs house',
      summary: 'Eleven forms, two stamps and a cat.',
      body: '<p>The cat belongs to nobody and knows every ship by its engine.</p>',
    },
    draft: 'en',
  },
]

interface DemoPost {
  readonly author: string
  readonly title: string
  readonly body: string
  readonly draft?: true
}

export const POSTS: readonly DemoPost[] = [
  {
    author: 'jonas',
    title: 'New berth opens in May',
    body: '<p>Berth 7 takes ships of up to 180 metres. The first is expected on the fourth.</p>',
  },
  {
    author: 'ines',
    title: 'Open day on the pilot boat',
    body: '<p>Bring warm clothes and no hat: the wind keeps hats.</p>',
  },
  {
    author: 'tomas',
    title: 'How we count containers',
    body: '<p>Twice, by two people who do not talk to each other until both are done.</p>',
  },
  {
    author: 'mara',
    title: 'Winter opening hours of the warehouse',
    body: '<p>From November the gates close at four, and at three on Fridays.</p>',
  },
  {
    author: 'jonas',
    title: 'Plans for the east pier',
    body: '<p>Not decided yet.</p>',
    draft: true,
  },
]

interface DemoProduct {
  readonly sku: string
  readonly name: string
  readonly description: string
  readonly price: number
  readonly stock: number
  readonly draft?: true
}

export const PRODUCTS: readonly DemoProduct[] = [
  {
    sku: 'ROPE-12',
    name: 'Mooring rope, 12 mm',
    description: '<p>Eight strands, forgiving on the hands, sold by twenty metres.</p>',
    price: 38.5,
    stock: 120,
  },
  {
    sku: 'LAMP-BR',
    name: 'Brass cabin lamp',
    description: '<p>Gimballed, so the light stays level when the ship does not.</p>',
    price: 89,
    stock: 14,
  },
  {
    sku: 'TEA-CEY',
    name: 'Ceylon tea, 500 g',
    description: '<p>Whole leaf, packed in the harbour, best before the next ship.</p>',
    price: 12.9,
    stock: 260,
  },
  {
    sku: 'PEP-BLK',
    name: 'Black pepper, 250 g',
    description: '<p>Sorted by hand. See the article about who does it.</p>',
    price: 7.4,
    stock: 95,
  },
  {
    sku: 'CHART-01',
    name: 'Harbour chart, printed',
    description: '<p>Depths at lowest tide, on paper that survives rain.</p>',
    price: 24,
    stock: 0,
  },
  {
    sku: 'MUG-ENA',
    name: 'Enamel mug',
    description: '<p>Blue rim, holds exactly one watch.</p>',
    price: 9.95,
    stock: 48,
  },
  {
    sku: 'COAT-OIL',
    name: 'Oilskin coat',
    description: '<p>Yellow, because you want to be seen.</p>',
    price: 149,
    stock: 7,
    draft: true,
  },
]
