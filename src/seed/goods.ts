import type { Minor } from '../lib/money.ts'

/** Something on the shelf: what it is called, its price in kobo, how many are bought at once. */
export interface Good {
  name: string
  price_minor: Minor
  quantityMax: number
}

const good = (name: string, price_minor: Minor, quantityMax = 2): Good => ({
  name,
  price_minor,
  quantityMax,
})

export const FABRICS: readonly Good[] = [
  good('Ankara print, 6 yards', 9_500_00n, 4),
  good('Ankara print, per yard', 1_800_00n, 5),
  good('Adire cotton, hand-dyed, 5 yards', 14_000_00n, 3),
  good('Adire silk scarf', 7_500_00n, 3),
  good('Aso-oke set, gele and ipele', 48_000_00n),
  good('Cord lace, 5 yards', 36_500_00n),
  good('French lace, beaded, 5 yards', 92_000_00n, 1),
  good('George wrapper, double', 78_000_00n, 1),
  good('Guinea brocade, 10 yards', 42_000_00n),
  good('Atiku cashmere, 4 yards', 24_000_00n),
  good('Akwete handwoven wrapper', 55_000_00n, 1),
  good('Plain crepe, per yard', 2_400_00n, 8),
  good('Lining, per yard', 950_00n, 10),
  good('Throw pillow, adire cover', 6_800_00n, 6),
  good('Table runner, aso-oke', 11_500_00n, 3),
  good('Bedsheet set, king size, 4 pillowcases', 28_500_00n),
]

export const FURNITURE: readonly Good[] = [
  good('Rattan armchair', 68_000_00n, 4),
  good('Iroko coffee table', 94_500_00n, 1),
  good('Mahogany dining table, 6 seats', 465_000_00n, 1),
  good('Dining chair, upholstered', 52_000_00n, 6),
  good('Three-seater sofa, linen', 398_000_00n, 1),
  good('Two-seater sofa, linen', 286_000_00n, 1),
  good('Bed frame, 6 by 6, teak', 340_000_00n, 1),
  good('Orthopaedic mattress, 6 by 6', 215_000_00n, 1),
  good('Wardrobe, three doors', 372_000_00n, 1),
  good('Bookshelf, five shelves', 118_000_00n),
  good('TV console, walnut veneer', 146_000_00n, 1),
  good('Bedside cabinet', 44_500_00n),
  good('Carved stool, Benin pattern', 38_000_00n, 3),
  good('Floor lamp, raffia shade', 41_000_00n),
  good('Woven rug, 2 by 3 metres', 125_000_00n, 1),
  good('Office desk with drawers', 164_000_00n),
]

export const SUPPLIES: readonly Good[] = [
  good('Curtains, made to measure, per window', 38_500_00n, 40),
  good('Banquet chair with cover', 26_000_00n, 120),
  good('Staff uniform cloth, per yard', 3_200_00n, 150),
  good('Hotel bedsheet set, white', 19_500_00n, 60),
  good('Upholstery, per seat', 17_500_00n, 48),
  good('Reception sofa, three seats', 420_000_00n, 3),
  good('Restaurant table, 4 seats', 112_000_00n, 18),
  good('Bed frame with headboard, hotel grade', 310_000_00n, 24),
  good('Blackout lining, per window', 12_000_00n, 40),
  good('Conference table, 12 seats', 890_000_00n, 2),
]

export const DELIVERIES: readonly Good[] = [
  good('Delivery, Lagos mainland', 6_000_00n, 1),
  good('Delivery, Lagos island', 9_000_00n, 1),
  good('Delivery outside Lagos', 28_000_00n, 1),
]

export const ASSEMBLY = good('Assembly at home', 15_000_00n, 1)

/** What the shop makes without a price list: an amount between the two, in one sum. */
export interface Work {
  note: string
  least_minor: Minor
  steps: number
}

/** Each step is ₦500. */
export const WORK_STEP_MINOR: Minor = 500_00n

export const WORKS: readonly Work[] = [
  { note: 'Sewing of aso-oke, two sets, with fitting', least_minor: 35_000_00n, steps: 60 },
  { note: 'Re-upholstery of a sofa in your own cloth', least_minor: 85_000_00n, steps: 150 },
  { note: 'Curtain alterations', least_minor: 8_000_00n, steps: 40 },
  { note: 'Repair and polish of a dining set', least_minor: 40_000_00n, steps: 90 },
  { note: 'Dyeing of 10 yards, indigo', least_minor: 18_000_00n, steps: 30 },
]

/** `{family}` and `{area}` are filled in. */
export const NOTES: readonly string[] = [
  'Asoebi for the {family} wedding: please confirm the colour.',
  'Deliver to {area}, call first.',
  'Pick-up at the shop in {area}.',
  'Balance on delivery to {area}.',
  'Goods stay ours until they are paid. Thank you for your patronage!',
  'Delivery to {area} within ten working days.',
  'Thank you, {family} family.',
  'Colours as in the swatch you chose at the shop.',
  'Price holds for 14 days.',
]
