/**
 * The customers and goods of the demo shop: West African names and products, chosen by a
 * pseudorandom generator.
 */

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** First and last names that go together. */
const PEOPLES = [
  [
    words(`Adebayo Adeola Ayodele Babatunde Bolanle Damilola Ebun Femi Folake Funke Gbenga Jumoke
      Kehinde Kunle Lanre Lola Niyi Omotola Peju Rotimi Segun Simisola Taiwo Temitope Tunde`),
    words(`Adeleke Ademola Adesina Adeyemi Afolabi Ajayi Akande Akinola Alabi Babalola Balogun
      Fashola Idowu Lawal Ogunleye Ojo Oladipo Olatunji Onabanjo Oyelaran Salako Shonibare`),
  ],
  [
    words(`Adaeze Amaka Chiamaka Chidi Chidinma Chinedu Chioma Ebuka Emeka Ifeanyi Ifeoma Ijeoma
      Ikenna Kelechi Nkechi Nneka Nnamdi Obinna Ogechi Onyinye Somto Uche Ugochi Zikora`),
    words(`Achebe Anyanwu Azikiwe Chukwu Duru Ekwueme Eze Igwe Madu Mbah Ndukwe Nnadi Nwachukwu
      Nwosu Obi Ogbonna Okafor Okeke Okonkwo Okoro Okoye Onuoha Opara Ugwu Uzodinma`),
  ],
  [
    words(`Abubakar Aisha Aliyu Amina Bashir Bilkisu Fatima Habiba Halima Hauwa Ibrahim Jamila
      Kabiru Khadija Maryam Musa Nafisa Rukayya Sadiq Safiya Umar Yakubu Zainab`),
    words(`Abdullahi Adamu Bala Bello Danladi Garba Gumel Hassan Idris Jibril Kwankwaso Lawan
      Mohammed Sanusi Shehu Suleiman Tanko Usman Waziri Yusuf`),
  ],
  [
    words(`Akosua Ama Awa Efua Ekow Esi Fatou Kofi Kwabena Kwame Mariama Moussa Nana Ousmane Yaa`),
    words(`Adjei Agyeman Asante Boateng Cisse Diallo Diop Mensah Ndiaye Ofori Osei Owusu Traore`),
  ],
] as const

const HOUSES = words('Eko Ikoyi Marina Yaba Lekki Kuramo Zuma Benue Calabar Oguta Ogba Asokoro')
const TRADES = ['Hotel', 'Restaurant', 'Events', 'Schools', 'Clinic', 'Interiors', 'Lodge']
const DOMAINS = ['example.com', 'example.org', 'example.net'] as const

/** The shop's products, with the price in naira and the usual quantity. */
const FABRICS = [
  ['Ankara print, 6 yards', 9_500, 4],
  ['Ankara print, per yard', 1_800, 5],
  ['Adire cotton, hand-dyed, 5 yards', 14_000, 3],
  ['Adire silk scarf', 7_500, 3],
  ['Aso-oke set, gele and ipele', 48_000, 2],
  ['Cord lace, 5 yards', 36_500, 2],
  ['French lace, beaded, 5 yards', 92_000, 1],
  ['Guinea brocade, 10 yards', 42_000, 2],
  ['Akwete handwoven wrapper', 55_000, 1],
  ['Throw pillow, adire cover', 6_800, 6],
  ['Bedsheet set, king size', 28_500, 2],
] as const
const FURNITURE = [
  ['Rattan armchair', 68_000, 4],
  ['Iroko coffee table', 94_500, 1],
  ['Mahogany dining table, 6 seats', 465_000, 1],
  ['Dining chair, upholstered', 52_000, 6],
  ['Three-seater sofa, linen', 398_000, 1],
  ['Bed frame, 6 by 6, teak', 340_000, 1],
  ['Wardrobe, three doors', 372_000, 1],
  ['Bookshelf, five shelves', 118_000, 2],
  ['Carved stool, Benin pattern', 38_000, 3],
  ['Woven rug, 2 by 3 metres', 125_000, 1],
] as const
const SUPPLIES = [
  ['Curtains, made to measure, per window', 38_500, 40],
  ['Banquet chair with cover', 26_000, 120],
  ['Staff uniform cloth, per yard', 3_200, 150],
  ['Hotel bedsheet set, white', 19_500, 60],
  ['Restaurant table, 4 seats', 112_000, 18],
  ['Bed frame with headboard, hotel grade', 310_000, 24],
] as const
const NOTES = [
  'Asoebi for the wedding: please confirm the colour.',
  'Deliver to Surulere, call first.',
  'Balance on delivery to Lekki.',
  'Goods stay ours until they are paid. Thank you for your patronage!',
  'Delivery within ten working days.',
  'Colours as in the swatch you chose at the shop.',
]

export interface Customer {
  name: string
  email: string
  phone: string
}

/**
 * Returns a customer, either a company or a person. `n` distinguishes customers with the same name.
 */
export function customerOf(random: Random, n: number): Customer & { isFirm: boolean } {
  const isFirm = random.chance(0.16)
  const [first, last] = random.pick(PEOPLES)
  const name = isFirm
    ? `${random.pick(HOUSES)} ${random.pick(TRADES)}`
    : `${random.pick(first)} ${random.pick(last)}`
  const mailbox = `${name.toLowerCase().replace(' ', '.')}${n > 0 ? n + 1 : ''}`
  // These email addresses can't receive email, and these toll-free numbers belong to nobody.
  const email = isFirm
    ? `accounts@${mailbox.replace('.', '-')}.example`
    : `${mailbox}@${random.pick(DOMAINS)}`
  const phone = `+234 800 ${random.whole(100, 999)} ${random.whole(1000, 9999)}`
  return { name, email, phone, isFirm }
}

/**
 * Most customers buy little: cloth or, less often, a piece of furniture. Companies buy by the
 * dozen.
 */
export function orderOf(random: Random, { isFirm }: { isFirm: boolean }) {
  const shelf = isFirm ? SUPPLIES : random.chance(0.64) ? FABRICS : FURNITURE
  const start = random.whole(0, shelf.length - 1)
  const lineItems = Array.from({ length: random.whole(1, 3) }, (_, i) => {
    const [name, unitAmount, most] = shelf[(start + i) % shelf.length]!
    return { name, unitAmount, quantity: 1 + Math.floor(random.share() ** 2 * most) }
  })
  const amount = lineItems.reduce((sum, line) => sum + line.unitAmount * line.quantity, 0)
  return { lineItems, amount, ...(random.chance(0.45) && { note: random.pick(NOTES) }) }
}

/** A random number generator that produces the same numbers for the same seed on every machine. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  share(): number
  /** Returns a whole number from `least` to `most`, inclusive. */
  whole(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
}

/** Returns a generator whose numbers don't depend on how many numbers other streams have used. */
export function randomOf(seed: number, stream: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0
  // "mulberry32" by Tommy Ettinger.
  const share = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number) => least + Math.floor(share() * (most - least + 1))
  return {
    share,
    whole,
    chance: (most) => share() < most,
    pick: (list) => list[whole(0, list.length - 1)]!,
    shuffled: (list) =>
      list
        .map((one) => ({ one, at: share() }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one),
  }
}
