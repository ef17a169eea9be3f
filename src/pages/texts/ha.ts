import type { Texts } from './en.ts'
import { shop } from './shop/ha.ts'

/** Hausa as it is written in Nigeria; the payer is `ku`, which is polite and of no gender. */
export const ha: Texts = {
  language: 'ha',
  locale: 'ha-NG',
  name: 'Hausa',
  chooseLanguage: 'Harshe',

  title: {
    due: (amount, merchant) => `Ku biya ${merchant} ${amount}`,
    waiting: (amount, merchant) => `Ana jiran ${amount} · ${merchant}`,
    paid: (amount, merchant) => `An biya ${amount} · ${merchant}`,
    void: (number, merchant) => `An soke ${number} · ${merchant}`,
  },
  invoice: (number) => `Bil mai lamba ${number}`,
  amountDue: 'Kuɗin da za a biya',
  amountLeft: 'Sauran da za a biya',
  amountPaid: 'An biya',
  amountVoid: 'Babu abin da za a biya',
  billedTo: 'Mai biya',
  issued: 'Ranar fitarwa',
  due: 'Wa’adin biya',
  dueOn: (day) => `Wa’adin biya: ${day}`,
  noDueDate: 'A biya da zarar an karɓa',
  state: {
    open: 'Ba a biya ba',
    overdue: 'Wa’adi ya wuce',
    partly: 'An biya wani ɓangare',
    paid: 'An biya',
    void: 'An soke',
  },

  details: 'Abin da ake biya',
  items: { name: 'Kaya', quantity: 'Adadi', unit: 'Kowanne', amount: 'Kuɗi' },
  timesEach: (quantity, unit) => `${quantity} × ${unit}`,
  total: 'Jimilla',
  paidSoFar: 'An biya zuwa yanzu',
  leftToPay: 'Saura',
  paidOf: (paid, total) => `An biya ${paid} cikin ${total}`,

  choose: 'Ta yaya kuke son biya?',
  received: {
    heading: (amount) => `An karɓi ${amount}`,
    text: (left) => `Mun gode! Saura ${left} za a biya.`,
    choose: 'Ta yaya kuke son biyan sauran?',
  },
  part: {
    label: 'Kuɗin da za ku biya yanzu',
    hint: (least) => `Duka, ko wani ɓangare da bai gaza ${least} ba.`,
    fault: {
      unclear: () => 'Ku rubuta adadin kuɗi ɗaya kawai a nan: abin da aka aiko ba ɗaya ba ne.',
      unreadable: () => 'Ku rubuta kuɗin da lambobi, kamar 2500 ko 2500.50.',
      too_little: (least) => `Ku biya aƙalla ${least}.`,
      too_much: (_least, due) => `Saura ${due} kawai za a biya.`,
    },
  },
  transfer: {
    name: 'Transfer ta banki',
    pitch:
      'Ku tura daga kowace manhajar banki. Za a ba ku lambar asusu da aka yi don wannan biyan.',
    start: 'Biya ta transfer',
    heading: (amount) => `Ku tura ${amount} zuwa wannan asusun`,
    exact: 'Ku tura daidai wannan kuɗin: idan ya bambanta, za a mayar muku da shi.',
    number: 'Lambar asusu',
    bank: 'Banki',
    accountName: 'Sunan asusu',
    amount: 'Adadin kuɗi',
    expiry: (time) => `Sau ɗaya kawai ake biya a wannan asusun, har zuwa ${time}.`,
    waiting: 'Muna jiran transfer ɗinku',
    usually: 'Wannan shafin zai nuna “An biya” da kansa, yawanci cikin minti ɗaya bayan kun tura.',
  },
  ussd: {
    name: 'USSD',
    pitch: 'Ku danna lambar USSD a wayarku. Ba a buƙatar intanet ko manhaja.',
    bank: 'Bankinku',
    chooseBank: 'Ku zaɓi bankinku',
    start: 'Samo lambar da za a danna',
    heading: (bank) =>
      bank ? `Ku danna wannan da layin wayarku na ${bank}` : 'Ku danna wannan lambar',
    code: 'Lambar USSD',
    dial: 'Kira lambar yanzu',
    scan: 'Kuna kan wata na’ura? Ku ɗauki wannan da kyamarar wayarku don kiran lambar.',
    qr: 'Lambar QR da ke kiran lambar USSD',
    approve: (amount) =>
      `Ku amince da ${amount} da PIN ɗin bankinku. Ba ma taɓa tambayar PIN ɗinku.`,
    steps: 'Abin da za ku yi',
    line: 'Ku yi amfani da lambar wayar da bankinku ya sani.',
    back: 'Sannan ku dawo wannan shafin.',
    expiry: (time) => `Lambar tana aiki har zuwa ${time}.`,
    change: 'Nuna lambar',
    changeBank: 'Wani banki',
    waiting: 'Muna jiran amincewarku',
    usually:
      'Wannan shafin zai nuna “An biya” da kansa, yawanci cikin minti ɗaya bayan kun amince.',
  },
  includesFee: (amount, fee) => `Akwai cajin ${fee} a cikin ${amount}.`,
  timeLeft: 'Sauran lokaci',
  paidCheck: 'Na tura kuɗin',
  notYet: 'Babu abin da ya iso tukuna. Muna ci gaba da dubawa.',
  reloads:
    'Wannan shafin yana sake dubawa duk bayan daƙiƙa 20. Kuna kuma iya danna maɓallin bayan kun ' +
    'biya.',
  another: 'Biya ta wata hanya',
  copy: 'Kwafa',
  copied: 'An kwafa',
  copyOf: (what) => `Kwafa: ${what}`,
  copiedOf: (what) => `An kwafa: ${what}`,

  failed: {
    heading: 'Biyan bai yi nasara ba',
    text: 'Ba a biya komai ba. Ku sake gwadawa, ko ku biya ta wata hanya.',
  },
  abandoned: {
    heading: 'Lokacin biya ya ƙare',
    transfer: 'Don Allah kada ku tura kuɗi zuwa tsohuwar lambar asusun. Ku samo sabuwa a nan.',
    ussd: 'Tsohuwar lambar ba ta aiki yanzu. Ku samo sabuwa a nan.',
  },
  manual: {
    heading: 'Biya ta tura kuɗi a banki',
    text: (merchant, number) =>
      `Ku rubuta ${number} a matsayin lambar shaida. ${merchant} za su nuna an biya da zarar kuɗin ya iso.`,
  },
  noWay: {
    heading: 'Ba za a iya biyan wannan ta intanet yanzu ba',
    text: (merchant) =>
      `${merchant} ba su buɗe wata hanyar biya a nan ba. Don Allah ku tambaye su yadda za a biya.`,
  },
  void: {
    heading: 'An soke wannan bil ɗin',
    text: (merchant) => `${merchant} sun soke shi, don haka babu abin da za a biya.`,
    paid: (amount, merchant) =>
      `Kun riga kun biya ${amount}. Don Allah ku tambayi ${merchant} yadda za a mayar muku.`,
  },
  paid: {
    heading: 'Mun gode, an biya',
    text: (merchant) => `An sanar da ${merchant}. Ku ajiye wannan shafin: shi ne rasit ɗinku.`,
    amount: 'Kuɗin da aka biya',
    date: 'Rana',
    channel: 'Hanyar biya',
    reference: 'Lambar shaida',
    to: 'Wanda aka biya',
    print: 'Buga rasit',
    several: 'Biyan da aka yi',
    refunded: 'Kuɗin da aka mayar',
    refundedBy: (amount, merchant) => `${merchant} sun mayar muku da ${amount}.`,
    over: (amount, merchant) =>
      `Kun tura ${amount} fiye da abin da ya kamata. ${merchant} za su mayar muku.`,
  },
  channel: {
    BANK_TRANSFER: 'Transfer ta banki',
    USSD: 'USSD',
    CARD: 'Kati',
    WALLET: 'Walat',
    OFFLINE: 'An biya kai tsaye',
  },

  paper: {
    title: 'Bil',
    receipt: 'Rasit',
    customer: 'Abokin ciniki',
    download: 'Sauke shi a matsayin PDF',
    paid: 'AN BIYA',
    void: 'AN SOKE',
    draft: 'BA A GAMA BA',
    test: 'GWAJI',
    note: 'Bayani',
    owedBack: 'za a mayar',
    pay: 'Biya ta intanet',
    scan: 'Ku ɗauki lambar nan da kyamarar waya, ko ku buɗe wannan adireshin:',
    qr: 'Lambar QR da ke buɗe shafin biya',
    page: (n, of) => `Shafi na ${n} cikin ${of}`,
  },

  test: {
    mark: 'Gwaji',
    banner: 'Gwaji ne: babu kuɗin gaske',
    heading: 'Kwaikwayo',
    text: 'Ku kwaikwayi bankin mai biya:',
    transfer: 'Kwaikwayo: biya ta transfer',
    approve: 'Kwaikwayo: amince da USSD',
    decline: 'Kwaikwayo: ƙi amincewa',
    receipt: 'An yi shi don gwaji: ba shaidar biya ba ce.',
  },
  announce: {
    paid: (amount) => `An biya. An karɓi ${amount}. Mun gode.`,
    partly: (amount) => `An biya wani ɓangare. Saura ${amount} za a biya.`,
    void: 'An soke wannan bil ɗin.',
  },

  questions: (merchant) => `Kuna da tambaya? Ku tambayi ${merchant}`,
  poweredBy: 'Biya ta hannun Tradepost',
  skip: 'Je wurin biya',
  back: 'Koma wurin biya',
  requestId: 'Idan za ku nemi taimako, ku faɗi',
  shop,
  message: {
    400: ['Bai yi aiki ba', 'Akwai abin da bai dace ba a buƙatar. Ku koma ku sake gwadawa.'],
    404: ['Babu komai a nan', 'Wannan adireshin ba namu ba ne. Ku duba ko kun kwafa shi duka.'],
    405: ['Bai yi aiki ba', 'Ba haka ake amfani da wannan shafin ba. Ku sake buɗe adireshin.'],
    409: ['Ya canja yanzun nan', 'Ku koma shafin don ganin inda biyan ya kwana.'],
    410: [
      'Wannan adireshin ya ƙare',
      'Na ɗan lokaci ne kawai. Ku nemi sabo daga wanda ya aiko muku da shi.',
    ],
    429: [
      'A ɗan dakata, don Allah',
      'Buƙatun da suka fito daga nan sun yi yawa. Ku jira minti ɗaya, ku sake gwadawa.',
    ],
    500: [
      'Wani abu ya lalace a wurinmu',
      'Ba laifinku ba ne. Ku sake dubawa anjima, kuma kafin ku biya sau na biyu.',
    ],
    503: [
      'Za mu dawo yanzu',
      'Aiki ya yi mana yawa ko ana sabuntawa, kuma ba a yi komai ba. Ku sake gwadawa anjima.',
    ],
  },
}
