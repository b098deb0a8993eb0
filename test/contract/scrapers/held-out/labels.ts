/**
 * What a person says of the pages beside this file, written from the pages as they are shown and before an
 * extraction had seen them. Nothing in the extraction is made for them: a page that fails is a finding. One label
 * was changed afterwards: the day of `news` is in UTC now, as the contract has times.
 */
interface Label {
  readonly page: string
  readonly title: string
  readonly author: string | null
  readonly language: string | null
  /** The day it was published, in UTC where the page names a zone; null when the page does not say. */
  readonly published: string | null
  /** The article line by line, without what stands around it; a cell of a table is a line. */
  readonly text: readonly string[]
}

export const LABELS: readonly Label[] = [
  {
    ...{ page: 'news', title: 'Council votes to keep night buses running until spring' },
    // At 10:41 p.m. five hours behind UTC.
    ...{ author: 'Dana Okafor', language: 'en-US', published: '2025-10-15' },
    text: [
      'The 7-5 vote gives the transit agency five more months to find the money.',
      'The Route 9 night bus waits at Garfield Street on Monday. (Luis Prado / The Ledger)',
      'MILLBROOK — After four hours of testimony that ran past the last bus home for many who gave it, the City Council voted 7-5 on Tuesday to keep all three night routes running through March 31.',
      'The vote reverses a budget cut made in June, when the agency said that ridership after 11 p.m. had fallen to fewer than nine passengers per trip.',
      'Those nine, it turned out on Tuesday, include most of the cleaning staff of the county hospital. Forty-one of them signed up to speak, and the last one was heard at ten minutes to eleven.',
      '“Nobody is asking for a luxury,” said Teresa Amaya, who has worked the overnight shift for sixteen years. “We are asking to get home in less time than it takes to drive to the next state.”',
      'Council member Ruth Hale, who voted against the extension, said the money would have to come from the repair of two bridges, and that the bridges carry the buses.',
      'What happens next',
      'The agency has to present a plan by Jan. 15. If it finds less than $640,000, the routes end on the first of April without another vote.',
    ],
  },
  {
    ...{ page: 'blog', title: 'Why I stopped sharpening my own knives' },
    ...{ author: 'Imogen Stoll', language: 'en', published: '2024-02-18' },
    text: [
      'For eleven years I owned four stones, a leather strop and a loupe, and every second Sunday I made a small grey puddle in the sink and felt like somebody who knew what she was doing.',
      'Then a man with a van parked at the end of our street. He has a belt, a wheel and a folding chair, he charges the price of a coffee for each blade, and he talks the whole time about his daughter’s exams.',
      'My knives have never been so sharp, and I can now say something about the periodic table.',
      'What I thought I was saving',
      'I used to tell people that it was about money. It never was: the stones cost more than the knives, and the strop cost more than I have ever told anybody. It was about not having to ask.',
      'A tool that you can’t lend is a tool that owns you.',
      'I copied that sentence out of a library book when I was nineteen, and for twenty years I thought it was about lawnmowers.',
      'The stones went to my neighbour, who has a workshop and patience.',
      'The loupe is in the drawer with the foreign coins.',
      'The strop is a very good strap for the old suitcase.',
      'The van comes again on the third. If you see me in the queue with one knife wrapped in a tea towel, do say hello.',
    ],
  },
  {
    ...{ page: 'docs', title: 'Rotating credentials' },
    ...{ author: null, language: 'en', published: null },
    text: [
      'An access token should be replaced when somebody who knew it leaves, when it has been seen in a log, and otherwise once in ninety days. This page shows how to do so while requests keep coming.',
      'You need the role keeper for everything on this page.',
      'Before you begin',
      'Find out who uses the token. The command lists every address that has presented it during the last seven days:',
      'parcelbox token uses --id tok_4f1c --days 7',
      'If the list holds an address that you do not know, revoke the token at once instead of rotating it.',
      'Rotate',
      'Create the successor with parcelbox token rotate. Both tokens are accepted from now on.',
      'Give the new token to each of the clients, and restart those that read it only once.',
      'Repeat the command of the first section until the old token is no longer in the list.',
      'The old token ends by itself after 24 hours. The time can be changed with --overlap, up to seven days.',
    ],
  },
  {
    ...{ page: 'shop', title: 'Wanderrucksack „Falk“ 38 Liter' },
    ...{ author: null, language: 'de', published: null },
    text: [
      'Beschreibung',
      'Der Falk ist für Touren von drei bis fünf Tagen gemacht: groß genug für Schlafsack und Kocher, klein genug für die Ablage im Zug und leicht genug, um ihn abends noch zu mögen.',
      'Das Tragesystem lässt sich in der Länge verstellen, ohne den Rucksack abzusetzen. Der Hüftgurt hat zwei Taschen, von denen eine so groß ist, dass ein Telefon mit Hülle hineinpasst.',
      'Unter dem Boden sitzt eine Regenhülle in Signalfarbe. Sie ist mit einem Band befestigt, damit der Wind sie nicht mitnimmt, wie es der des Vorgängers manchmal tat.',
      'Technische Daten',
      'Volumen',
      '38 Liter',
      'Gewicht',
      '1.240 g',
      'Material',
      'Polyamid, zu 80 % wiederverwertet',
    ],
  },
  {
    ...{ page: 'forum', title: 'Hum on the left channel only after an hour' },
    // A conversation has no one author, but a day on which it began.
    ...{ author: null, language: 'en', published: '2025-03-08' },
    text: [
      'My receiver plays beautifully for about an hour and then a hum begins on the left channel, low at first and after ten more minutes louder than a quiet passage. The right channel stays clean. Swapping the speakers changes nothing, so it comes out of the amplifier.',
      'The capacitors of the supply were replaced six years ago by somebody who has since moved away. Where would you look first?',
      'If it depends on warmth, freeze it. Buy a can of freezing spray, wait until the hum is there, and cool one part after the other on the driver board of the left channel. When the hum stops you have the culprit, and it is nearly always a transistor that costs less than the spray.',
      'It was the second transistor from the edge, exactly as you said. A drop of spray and the hum was gone as if somebody had closed a door. New one is in, three hours of piano so far and not a sound that does not belong there. Thank you!',
    ],
  },
  {
    ...{ page: 'recipe', title: 'One-Pan Barley with Roasted Carrots' },
    ...{ author: 'Mei Castellan', language: 'en-CA', published: '2023-11-05' },
    text: [
      'There is a week in November when the garden gives up all its carrots at once, and for that week this is what we eat. It takes one pan, and nobody has to stand beside it.',
      'Barley forgives almost everything. If you forget it for ten minutes it only becomes a little softer, and if you forget the salt it will wait for you at the table.',
      'Ingredients',
      '1 cup pearl barley',
      '6 carrots, halved lengthwise',
      '3 tablespoons olive oil',
      '2 cups vegetable broth',
      'Instructions',
      'Heat the oven to 425 degrees and toss the carrots with the oil in a wide, heavy pan that can go into it.',
      'Roast the carrots for twenty minutes, until their edges are dark and the kitchen smells of caramel.',
      'Stir in the barley and the broth, cover the pan, and bake everything for another thirty minutes.',
      'Leftovers keep for three days, and on the second day they make a very good soup with nothing more than water and a lemon.',
    ],
  },
  {
    ...{ page: 'table', title: 'Population des communes de la vallée, 1954–2020' },
    ...{ author: 'Observatoire de la Vallée', language: 'fr', published: '2022-09-01' },
    text: [
      'Le tableau donne la population de chaque commune aux recensements de 1954, de 1990 et de 2020, dans les limites des communes au premier janvier 2020.',
      'Population sans doubles comptes',
      ...['Commune', '1954', '1990', '2020'],
      ...['Arvieux-le-Bas', '1 204', '688', '731'],
      ...['La Combe-Noire', '417', '102', '96'],
      ...['Pont-de-Lure', '2 950', '3 411', '4 087'],
      ...['Saint-Ormel', '860', '540', '618'],
      ...['Vernay', '333', '179', '240'],
      'La baisse d’avant 1990 tient surtout au départ des familles d’éleveurs ; la hausse qui suit vient de Pont-de-Lure, où la gare a rouvert en 1998.',
      'Source : recensements de la population, traitement de l’Observatoire.',
    ],
  },
  {
    ...{ page: 'old', title: "Uncle Ferdy's Barometer Page" },
    ...{ author: null, language: null, published: null },
    text: [
      'People write to me every week to ask whether they should tap the glass. You may tap an aneroid, gently and with one finger, because its linkage sticks a little and wants to be reminded. You must never tap a mercury tube, which has nothing that could stick and a great deal that could break.',
      'The word on the dial means nothing. The makers in the city wrote RAIN and FAIR at the same pressures for a house by the sea and for one on a mountain, and both houses have been wrong ever since. What you want to know is not where the needle is but which way it went since breakfast.',
      'If it falls quickly, bring in the washing. If it falls slowly for two days, bring in the boat. That is all that I have learned in fifty years, and I would have been glad if somebody had told me on the first day.',
    ],
  },
  {
    ...{ page: 'rtl', title: 'הספרייה שנפתחת בחצות' },
    ...{ author: 'נועה ברזילי', language: 'he', published: '2024-12-29' },
    text: [
      'במחסן ישן ברציף השלישי קוראים עובדי הלילה ספרים שאיש לא ביקש מהם להחזיר',
      'בשעה שבה הרחובות שמתחת לנמל מתרוקנים, נדלקת מנורה אחת במחסן הישן שברציף השלישי. אין שם שלט ואין פקיד, ומי שמכיר את הדלת יודע שהיא אינה נעולה.',
      'הספרים הגיעו לכאן בארגזים של אניות, מתנה של מלחים שסיימו לקרוא. יש בהם רומנים בפורטוגזית, מדריכים לתיקון מנועים ושלושה עותקים של אותו ספר שירה דק.',
      'יוסף, שעובד על המנוף כבר עשרים ושתיים שנה, אומר שלמד לקרוא צרפתית מתוך ספר בישול אחד. הוא עדיין לא בישל דבר, אבל הוא יודע בדיוק איך צריך.',
      'בבוקר, לפני שהמשאיות הראשונות נכנסות, מישהו מכבה את המנורה. אף אחד לא יודע מי, ואיש מן הקוראים אינו רוצה באמת לברר.',
    ],
  },
  {
    ...{ page: 'japanese', title: '始発電車を待つ人たち' },
    ...{ author: '森下ゆり', language: 'ja', published: '2025-06-21' },
    text: [
      '始発は四時五十一分に出る。駅員が改札の灯りをつけるのはその十分前で、そのころにはもう、いつもの五人がベンチの前に並んでいる。誰も口をきかないが、誰かが欠けると全員が時計を見る。',
      '先頭に立つのは市場で働く女性で、手には必ず二つのおにぎりがある。一つは自分のため、もう一つは、乗り換えの駅で会う息子のためだと、三年目の冬に初めて教えてくれた。',
      '雨の日だけの六人目',
      '雨が降ると、もう一人増える。ふだんは自転車で通う若い職人で、傘を持たず、濡れた道具箱だけを大事そうに布でくるんでいる。五人は何も言わずに少しずつ詰めて、屋根の下に場所をつくる。',
      '電車が来ると、みな同じ扉から乗り、別々の席に座る。わたしはそれを向かいの喫茶店の窓から見ている。店を開けるには早すぎるが、見送るにはちょうどよい時間なのだ。',
    ],
  },
]
