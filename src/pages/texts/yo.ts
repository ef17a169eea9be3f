import type { Texts } from './en.ts'
import { shop } from './shop/yo.ts'

/**
 * Yoruba in the standard spelling, with its tones; the payer is `ẹ`, as one speaks to a stranger.
 */
export const yo: Texts = {
  language: 'yo',
  locale: 'yo-NG',
  name: 'Yorùbá',
  chooseLanguage: 'Èdè',

  title: {
    due: (amount, merchant) => `Ẹ san ${amount} fún ${merchant}`,
    waiting: (amount, merchant) => `A ń dúró de ${amount} · ${merchant}`,
    paid: (amount, merchant) => `Ẹ ti san ${amount} · ${merchant}`,
    void: (number, merchant) => `A ti fagi lé ${number} · ${merchant}`,
  },
  invoice: (number) => `Ìwé ìsanwó ${number}`,
  amountDue: 'Iye tí ẹ máa san',
  amountLeft: 'Iye tó kù láti san',
  amountPaid: 'Ẹ ti san',
  amountVoid: 'Kò sí nǹkan láti san',
  billedTo: 'Ẹni tó máa san án',
  issued: 'Ọjọ́ tí a kọ ọ́',
  due: 'Ọjọ́ ìsanwó',
  dueOn: (day) => `Ọjọ́ ìsanwó: ${day}`,
  noDueDate: 'Ẹ san án bí ẹ bá ti gbà á',
  state: {
    open: 'A kò tíì san án',
    overdue: 'Ọjọ́ ìsanwó ti kọjá',
    partly: 'A ti san apá kan',
    paid: 'A ti san án',
    void: 'A ti fagi lé e',
  },

  details: 'Ohun tí ẹ ń sanwó fún',
  items: { name: 'Ọjà', quantity: 'Mélòó', unit: 'Ẹyọ kan', amount: 'Owó' },
  timesEach: (quantity, unit) => `${quantity} × ${unit}`,
  total: 'Àpapọ̀',
  paidSoFar: 'Iye tí a ti san',
  leftToPay: 'Iye tó kù',
  paidOf: (paid, total) => `A ti san ${paid} nínú ${total}`,

  choose: 'Báwo lẹ ṣe fẹ́ san án?',
  received: {
    heading: (amount) => `A ti gba ${amount}`,
    text: (left) => `Ẹ ṣeun! Ó ku ${left} láti san.`,
    choose: 'Báwo lẹ ṣe fẹ́ san ìyókù?',
  },
  part: {
    label: 'Iye tí ẹ fẹ́ san báyìí',
    hint: (least) => `Gbogbo rẹ̀, tàbí apá kan tí kò dín sí ${least}.`,
    fault: {
      unclear: () => 'Ẹ jọ̀ọ́, ẹ kọ iye owó kan ṣoṣo síbí: ohun tó dé kì í ṣe ẹyọ kan.',
      unreadable: () => 'Ẹ jọ̀ọ́, ẹ fi nọ́ńbà kọ iye owó náà, bíi 2500 tàbí 2500.50.',
      too_little: (least) => `Ẹ jọ̀ọ́, ẹ san ó kéré tán ${least}.`,
      too_much: (_least, due) => `${due} péré ló kù láti san.`,
    },
  },
  transfer: {
    name: 'Transfer láti báńkì',
    pitch:
      'Ẹ fi ránṣẹ́ láti inú áàpù báńkì èyíkéyìí. A máa fún yín ní nọ́ńbà àkáǹtì tí a ṣe fún ' +
      'ìsanwó yìí.',
    start: 'Ẹ fi transfer san án',
    heading: (amount) => `Ẹ fi ${amount} ránṣẹ́ sí àkáǹtì yìí`,
    exact: 'Iye yìí gan-an ni kí ẹ fi ránṣẹ́: bó bá yàtọ̀, a máa dá a padà fún yín.',
    number: 'Nọ́ńbà àkáǹtì',
    bank: 'Báńkì',
    accountName: 'Orúkọ àkáǹtì',
    amount: 'Iye owó',
    expiry: (time) => `Ẹ̀ẹ̀kan péré ni àkáǹtì yìí máa gba owó, títí di aago ${time}.`,
    waiting: 'A ń dúró de transfer yín',
    usually:
      'Ojú ìwé yìí máa fi hàn fúnra rẹ̀ pé ẹ ti san án, ó sábà máa ń jẹ́ láàárín ìṣẹ́jú kan tí ẹ ' +
      'bá ti fi ránṣẹ́.',
  },
  ussd: {
    name: 'USSD',
    pitch: 'Ẹ tẹ kóòdù lórí fóònù yín. Kò nílò íńtánẹ́ẹ̀tì tàbí áàpù.',
    bank: 'Báńkì yín',
    chooseBank: 'Ẹ yan báńkì yín',
    start: 'Ẹ gba kóòdù tí ẹ máa tẹ̀',
    heading: (bank) => (bank ? `Ẹ tẹ èyí lórí fóònù tí ${bank} yín mọ̀` : 'Ẹ tẹ kóòdù yìí'),
    code: 'Kóòdù USSD',
    dial: 'Ẹ tẹ kóòdù náà báyìí',
    scan: 'Ṣé orí ẹ̀rọ mìíràn lẹ wà? Ẹ fi kámẹ́rà fóònù yín wo èyí láti tẹ kóòdù náà.',
    qr: 'Kóòdù QR tó ń tẹ kóòdù USSD',
    approve: (amount) => `Ẹ fi PIN báńkì yín fọwọ́ sí ${amount}. A kì í béèrè PIN yín láéláé.`,
    steps: 'Ohun tí ẹ máa ṣe',
    line: 'Ẹ lo nọ́ńbà fóònù tí báńkì yín mọ̀.',
    back: 'Lẹ́yìn náà, ẹ padà sí ojú ìwé yìí.',
    expiry: (time) => `Kóòdù yìí ń ṣiṣẹ́ títí di aago ${time}.`,
    change: 'Ẹ wo kóòdù',
    changeBank: 'Báńkì mìíràn',
    waiting: 'A ń dúró de ìfọwọ́sí yín',
    usually:
      'Ojú ìwé yìí máa fi hàn fúnra rẹ̀ pé ẹ ti san án, ó sábà máa ń jẹ́ láàárín ìṣẹ́jú kan tí ẹ ' +
      'bá ti fọwọ́ sí i.',
  },
  includesFee: (amount, fee) => `Owó iṣẹ́ ${fee} wà nínú ${amount}.`,
  timeLeft: 'Àkókò tó kù',
  paidCheck: 'Mo ti fi owó náà ránṣẹ́',
  notYet: 'Kò tíì sí owó tó dé. A ṣì ń wò ó.',
  reloads:
    'Ojú ìwé yìí ń tún un wò ní ìṣẹ́jú àáyá 20 sí 20. Ẹ tún lè tẹ bọ́tìnì náà lẹ́yìn tí ẹ bá san án.',
  another: 'Ẹ san án lọ́nà mìíràn',
  copy: 'Dà á kọ',
  copied: 'A dà á kọ',
  copyOf: (what) => `Dà á kọ: ${what}`,
  copiedOf: (what) => `A dà á kọ: ${what}`,

  failed: {
    heading: 'Ìsanwó náà kò kẹ́sẹ járí',
    text: 'Kò sí owó tó wọlé. Ẹ tún gbìyànjú, tàbí kí ẹ san án lọ́nà mìíràn.',
  },
  abandoned: {
    heading: 'Àkókò láti sanwó ti tán',
    transfer: 'Ẹ jọ̀ọ́, ẹ má fi owó ránṣẹ́ sí nọ́ńbà àkáǹtì ti tẹ́lẹ̀. Ẹ gba tuntun níbí.',
    ussd: 'Kóòdù ti tẹ́lẹ̀ kò ṣiṣẹ́ mọ́. Ẹ gba tuntun níbí.',
  },
  manual: {
    heading: 'San án nípa fífi owó ránṣẹ́ sí báǹkì',
    text: (merchant, number) =>
      `Ẹ kọ ${number} gẹ́gẹ́ bí nọ́ńbà ìtọ́kasí. ${merchant} yóò fi hàn pé a ti san án nígbà tí owó bá dé.`,
  },
  noWay: {
    heading: 'Ẹ kò lè san èyí lórí íńtánẹ́ẹ̀tì báyìí',
    text: (merchant) =>
      `${merchant} kò tíì ṣí ọ̀nà ìsanwó kankan níbí. Ẹ jọ̀ọ́, ẹ bi wọ́n bí ẹ ṣe máa san án.`,
  },
  void: {
    heading: 'A ti fagi lé ìwé ìsanwó yìí',
    text: (merchant) => `${merchant} ti fagi lé e, nítorí náà kò sí nǹkan láti san.`,
    paid: (amount, merchant) =>
      `Ẹ ti san ${amount} tẹ́lẹ̀. Ẹ jọ̀ọ́, ẹ bi ${merchant} bí ẹ ṣe máa gbà á padà.`,
  },
  paid: {
    heading: 'Ẹ ṣeun, owó ti wọlé',
    text: (merchant) => `A ti sọ fún ${merchant}. Ẹ tọ́jú ojú ìwé yìí, òun ni rìsíìtì yín.`,
    amount: 'Iye tí a san',
    date: 'Ọjọ́',
    channel: 'Ọ̀nà ìsanwó',
    reference: 'Nọ́ńbà ìtọ́kasí',
    to: 'Ẹni tí a sanwó fún',
    print: 'Ẹ tẹ rìsíìtì jáde',
    several: 'Àwọn owó tí a san',
    refunded: 'Owó tí a dá padà',
    refundedBy: (amount, merchant) => `${merchant} ti dá ${amount} padà fún yín.`,
    over: (amount, merchant) =>
      `Ẹ fi ${amount} ránṣẹ́ ju iye tó yẹ lọ. ${merchant} máa dá a padà fún yín.`,
  },
  channel: {
    BANK_TRANSFER: 'Transfer láti báńkì',
    USSD: 'USSD',
    CARD: 'Káàdì',
    WALLET: 'Wọ́lẹ́ẹ̀tì',
    OFFLINE: 'A san án tààrà',
  },

  paper: {
    title: 'Ìwé ìsanwó',
    receipt: 'Rìsíìtì',
    customer: 'Oníbàárà',
    download: 'Ẹ gbà á sílẹ̀ ní PDF',
    paid: 'A TI SAN ÁN',
    void: 'A TI FAGI LÉ E',
    draft: 'KÒ TÍÌ PARÍ',
    test: 'ÌDÁNWÒ',
    note: 'Àkíyèsí',
    owedBack: 'a máa dá a padà',
    pay: 'Ẹ san án lórí íńtánẹ́ẹ̀tì',
    scan: 'Ẹ fi kámẹ́rà fóònù wo kóòdù náà, tàbí kí ẹ ṣí àdírẹ́sì yìí:',
    qr: 'Kóòdù QR tó ń ṣí ojú ìwé ìsanwó',
    page: (n, of) => `Ojú ìwé ${n} nínú ${of}`,
  },

  test: {
    mark: 'Ìdánwò',
    banner: 'Ìdánwò nìyí: owó gidi kankan kò lọ',
    heading: 'Àfarawé',
    text: 'Ẹ ṣe bíi báńkì ẹni tó ń sanwó:',
    transfer: 'Àfarawé: fi transfer san án',
    approve: 'Àfarawé: fọwọ́ sí USSD',
    decline: 'Àfarawé: kọ̀ ọ́',
    receipt: 'Ìdánwò ni èyí: kì í ṣe ẹ̀rí ìsanwó.',
  },
  announce: {
    paid: (amount) => `A ti san án. ${amount} ti wọlé. Ẹ ṣeun.`,
    partly: (amount) => `A ti san apá kan. Ó ku ${amount} láti san.`,
    void: 'A ti fagi lé ìwé ìsanwó yìí.',
  },

  questions: (merchant) => `Ṣé ẹ ní ìbéèrè? Ẹ bi ${merchant}`,
  poweredBy: 'Ìsanwó nípasẹ̀ Tradepost',
  skip: 'Ẹ lọ síbi ìsanwó',
  back: 'Ẹ padà síbi ìsanwó',
  requestId: 'Bí ẹ bá fẹ́ ìrànlọ́wọ́, ẹ sọ nọ́ńbà yìí:',
  shop,
  message: {
    400: ['Kò ṣiṣẹ́', 'Nǹkan kan kò tọ́ nínú ohun tí a gbà. Ẹ padà, kí ẹ sì tún gbìyànjú.'],
    404: ['Kò sí nǹkan níbí', 'Líǹkì yìí kì í ṣe tiwa. Ẹ wò ó bóyá gbogbo rẹ̀ lẹ dà kọ.'],
    405: ['Kò ṣiṣẹ́', 'A kì í lo ojú ìwé yìí bẹ́ẹ̀. Ẹ tún líǹkì náà ṣí.'],
    409: ['Ó ṣẹ̀ṣẹ̀ yí padà', 'Ẹ padà sí ojú ìwé náà láti rí ibi tí ìsanwó dé.'],
    410: ['Líǹkì yìí ti parí', 'Ìgbà díẹ̀ ló fi ń ṣiṣẹ́. Ẹ béèrè tuntun lọ́wọ́ ẹni tó fi ránṣẹ́.'],
    429: [
      'Ẹ rọra díẹ̀, ẹ jọ̀ọ́',
      'Ìbéèrè tó wá láti ọ̀dọ̀ yín pọ̀ jù. Ẹ dúró fún ìṣẹ́jú kan, kí ẹ tún gbìyànjú.',
    ],
    500: [
      'Nǹkan kan bàjẹ́ lọ́dọ̀ wa',
      'Kì í ṣe ẹ̀bi yín. Ẹ tún wò ó láìpẹ́, àti kí ẹ tó san án lẹ́ẹ̀kejì.',
    ],
    503: [
      'A ń bọ̀ láìpẹ́',
      'Ọwọ́ wa dí tàbí a ń ṣe àtúnṣe, a kò sì tíì ṣe nǹkan kan. Ẹ tún gbìyànjú láìpẹ́.',
    ],
  },
}
