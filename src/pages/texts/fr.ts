import type { Texts } from './en.ts'
import { shop } from './shop/fr.ts'

/** French puts a space that does not break before `:`, `;`, `?` and inside of `« »`. */
export const fr: Texts = {
  language: 'fr',
  locale: 'fr',
  name: 'Français',
  chooseLanguage: 'Langue',

  title: {
    due: (amount, merchant) => `Payer ${amount} à ${merchant}`,
    waiting: (amount, merchant) => `En attente de ${amount} · ${merchant}`,
    paid: (amount, merchant) => `Payé\u00a0: ${amount} · ${merchant}`,
    void: (number, merchant) => `${number} annulée · ${merchant}`,
  },
  invoice: (number) => `Facture ${number}`,
  amountDue: 'Montant à payer',
  amountLeft: 'Reste à payer',
  amountPaid: 'Payé',
  amountVoid: 'Rien à payer',
  billedTo: 'Facturé à',
  issued: 'Émise le',
  due: 'Échéance',
  dueOn: (day) => `À payer d’ici le ${day}`,
  noDueDate: 'À payer dès réception',
  state: {
    open: 'Non payée',
    overdue: 'En retard',
    partly: 'Payée en partie',
    paid: 'Payée',
    void: 'Annulée',
  },

  details: 'Ce que vous payez',
  items: { name: 'Article', quantity: 'Quantité', unit: 'Prix unitaire', amount: 'Montant' },
  timesEach: (quantity, unit) => `${quantity} × ${unit}`,
  total: 'Total',
  paidSoFar: 'Déjà payé',
  leftToPay: 'Reste à payer',
  paidOf: (paid, total) => `${paid} payés sur ${total}`,

  choose: 'Comment payer\u00a0?',
  received: {
    heading: (amount) => `${amount} reçus`,
    text: (left) => `Merci\u00a0! Il reste ${left} à payer.`,
    choose: 'Comment payer le reste\u00a0?',
  },
  part: {
    label: 'Montant à payer maintenant',
    hint: (least) => `La totalité, ou une partie d’au moins ${least}.`,
    fault: {
      unclear: () => 'Écrivez ici un seul montant\u00a0: ce qui a été envoyé n’en était pas un.',
      unreadable: () => 'Écrivez le montant en chiffres, par exemple 2500 ou 2500,50.',
      too_little: (least) => `Le montant doit être d’au moins ${least}.`,
      too_much: (_least, due) => `Il ne reste que ${due} à payer.`,
    },
  },
  transfer: {
    name: 'Virement bancaire',
    pitch:
      'Depuis n’importe quelle application bancaire. Vous recevez un numéro de compte créé pour ' +
      'ce paiement.',
    start: 'Payer par virement',
    heading: (amount) => `Envoyez ${amount} sur ce compte`,
    exact: 'Envoyez exactement ce montant\u00a0: tout autre montant vous sera renvoyé.',
    number: 'Numéro de compte',
    bank: 'Banque',
    accountName: 'Nom du compte',
    amount: 'Montant',
    expiry: (time) => `Ce compte accepte un seul paiement, jusqu’à ${time}.`,
    waiting: 'En attente du virement',
    usually:
      'Cette page se met à jour automatiquement, le plus souvent moins d’une minute après l’envoi.',
  },
  ussd: {
    name: 'USSD',
    pitch: 'Composez un code sur votre téléphone. Sans internet ni application.',
    bank: 'Votre banque',
    chooseBank: 'Choisissez votre banque',
    start: 'Obtenir le code à composer',
    heading: (bank) =>
      bank ? `Composez ce code avec le numéro connu de ${bank}` : 'Composez ce code',
    code: 'Code USSD',
    dial: 'Composer le code',
    scan: 'Sur un autre appareil\u00a0? Scannez ceci avec votre téléphone pour composer le code.',
    qr: 'Code QR qui compose le code USSD',
    approve: (amount) =>
      `Validez ${amount} avec le code PIN de votre banque. Nous ne vous le demandons jamais.`,
    steps: 'Ce qu’il faut faire',
    line: 'Utilisez le numéro de téléphone que votre banque connaît.',
    back: 'Revenez ensuite sur cette page.',
    expiry: (time) => `Le code est valable jusqu’à ${time}.`,
    change: 'Afficher le code',
    changeBank: 'Une autre banque',
    waiting: 'En attente de validation',
    usually:
      'Cette page se met à jour automatiquement, le plus souvent moins d’une minute après la ' +
      'validation.',
  },
  includesFee: (amount, fee) => `${amount} comprend ${fee} de frais.`,
  timeLeft: 'Temps restant',
  paidCheck: 'J’ai envoyé l’argent',
  notYet: 'Rien n’est encore arrivé. Nous continuons de vérifier.',
  reloads:
    'Cette page vérifie toutes les 20 secondes. Vous pouvez aussi appuyer sur le bouton après ' +
    'avoir payé.',
  another: 'Payer autrement',
  copy: 'Copier',
  copied: 'Copié',
  copyOf: (what) => `Copier\u00a0: ${what}`,
  copiedOf: (what) => `Copié\u00a0: ${what}`,

  failed: {
    heading: 'Ce paiement n’a pas abouti',
    text: 'Rien n’a été payé. Réessayez, ou payez autrement.',
  },
  abandoned: {
    heading: 'Le temps pour payer est écoulé',
    transfer:
      'N’envoyez plus d’argent sur l’ancien numéro de compte, s’il vous plaît. Demandez-en un ' +
      'nouveau ici.',
    ussd: 'L’ancien code ne fonctionne plus. Demandez-en un nouveau ici.',
  },
  manual: {
    heading: 'Payer par virement bancaire',
    text: (merchant, number) =>
      `Indiquez ${number} comme référence. ${merchant} marque la facture comme payée dès que l’argent arrive.`,
  },
  noWay: {
    heading: 'Le paiement en ligne n’est pas possible pour le moment',
    text: (merchant) =>
      `${merchant} n’a activé ici aucun moyen de paiement. Demandez-leur comment payer.`,
  },
  void: {
    heading: 'Cette facture a été annulée',
    text: (merchant) => `${merchant} l’a annulée\u00a0: il n’y a rien à payer.`,
    paid: (amount, merchant) =>
      `Vous aviez payé ${amount}. Demandez à ${merchant} comment les récupérer.`,
  },
  paid: {
    heading: 'Paiement reçu. Merci\u00a0!',
    text: (merchant) => `${merchant} est prévenu. Gardez cette page\u00a0: c’est votre reçu.`,
    amount: 'Montant payé',
    date: 'Date',
    channel: 'Payé par',
    reference: 'Référence',
    to: 'Payé à',
    print: 'Imprimer le reçu',
    several: 'Paiements',
    refunded: 'Remboursé',
    refundedBy: (amount, merchant) => `${merchant} vous a remboursé ${amount}.`,
    over: (amount, merchant) => `Vous avez envoyé ${amount} de trop. ${merchant} vous les rendra.`,
  },
  channel: {
    BANK_TRANSFER: 'Virement bancaire',
    USSD: 'USSD',
    CARD: 'Carte',
    WALLET: 'Portefeuille',
    OFFLINE: 'Payé directement',
  },

  paper: {
    title: 'Facture',
    receipt: 'Reçu',
    customer: 'Client',
    download: 'Télécharger en PDF',
    paid: 'PAYÉE',
    void: 'ANNULÉE',
    draft: 'BROUILLON',
    test: 'TEST',
    note: 'Remarque',
    owedBack: 'à rembourser',
    pay: 'Payer en ligne',
    scan: 'Scannez le code avec un téléphone, ou ouvrez cette adresse\u00a0:',
    qr: 'Code QR qui ouvre la page de paiement',
    page: (n, of) => `Page ${n} sur ${of}`,
  },

  test: {
    mark: 'Test',
    banner: 'Mode test\u00a0: pas d’argent réel',
    heading: 'Simulateur',
    text: 'Jouez la banque du payeur\u00a0:',
    transfer: 'Simuler\u00a0: payer par virement',
    approve: 'Simuler\u00a0: valider par USSD',
    decline: 'Simuler\u00a0: refuser',
    receipt: 'Fait en mode test\u00a0: ce n’est pas une preuve de paiement.',
  },
  announce: {
    paid: (amount) => `Payé. ${amount} reçus. Merci.`,
    partly: (amount) => `Une partie est payée. Il reste ${amount} à payer.`,
    void: 'Cette facture a été annulée.',
  },

  questions: (merchant) => `Une question\u00a0? Écrivez à ${merchant}`,
  poweredBy: 'Paiements par Tradepost',
  skip: 'Aller au paiement',
  back: 'Revenir au paiement',
  requestId: 'Si vous demandez de l’aide, citez',
  shop,
  message: {
    400: ['Cela n’a pas marché', 'La demande n’était pas correcte. Revenez et réessayez.'],
    404: ['Page introuvable', 'Vérifiez que vous avez copié le lien en entier.'],
    405: ['Cela n’a pas marché', 'Cette page ne s’utilise pas ainsi. Ouvrez de nouveau le lien.'],
    409: ['Cela vient de changer', 'Revenez à la page pour voir où en est le paiement.'],
    410: [
      'Ce lien n’est plus valable',
      'Il ne l’était que pour un temps. Demandez-en un nouveau à qui vous l’a envoyé.',
    ],
    429: [
      'Un peu moins vite, s’il vous plaît',
      'Trop de demandes sont venues d’ici. Attendez une minute, puis réessayez.',
    ],
    500: [
      'Un problème est survenu chez nous',
      'Ce n’est pas votre faute. Revenez voir bientôt, et avant de payer une deuxième fois.',
    ],
    503: [
      'De retour dans un instant',
      'Nous sommes très sollicités ou en mise à jour, et rien n’a été fait. Réessayez bientôt.',
    ],
  },
}
