import { HOUSES, PEOPLES, type People, TRADES } from './names.ts'
import { type Random, randomOf, STREAM } from './random.ts'

export interface Customer {
  name: string
  /** The last name of a person; the name of an organisation. */
  family: string
  email: string
  phone: string | null
  isOrganisation: boolean
}

/** Invoices for one customer, about; and how many customers there are at most and at least. */
const EACH = 3
const LEAST = 24
const MOST = 50_000

/** Everybody who ever bought something. No two have the same address. */
export function customersOf(seed: number, rows: number): Customer[] {
  const count = Math.min(MOST, Math.max(LEAST, Math.floor(rows / EACH)))
  const taken = new Map<string, number>()
  return Array.from({ length: count }, (_, i) => {
    const random = randomOf(seed, STREAM.customers, i)
    return random.chance(0.16) ? organisation(random, taken) : person(random, taken)
  })
}

/** Some come again and again, most once or twice. */
export const customerFor = (customers: readonly Customer[], random: Random): Customer =>
  customers[Math.floor(random.share() ** 1.4 * customers.length)]!

/** Reserved by RFC 2606 and 6761: nobody ever gets a mail there. */
const DOMAINS = ['example.com', 'example.org', 'example.net']

function person(random: Random, taken: Map<string, number>): Customer {
  const people = peopleFor(random)
  const first = random.pick(people.first)
  const family = random.pick(people.last)
  const account = unique(`${plain(first)}.${plain(family)}`, taken)
  return {
    name: `${first} ${family}`,
    family,
    email: `${account}@${random.pick(DOMAINS)}`,
    phone: random.chance(0.7) ? phoneOf(random) : null,
    isOrganisation: false,
  }
}

function organisation(random: Random, taken: Map<string, number>): Customer {
  const name = `${random.pick(HOUSES)} ${random.pick(TRADES)}`
  const domain = unique(plain(name), taken)
  const desk = random.pick(['accounts', 'procurement', 'hello', 'office'])
  return {
    name,
    family: name,
    email: `${desk}@${domain}.example`,
    phone: random.chance(0.9) ? phoneOf(random) : null,
    isOrganisation: true,
  }
}

const WHOLE = PEOPLES.reduce((sum, { share }) => sum + share, 0)

function peopleFor(random: Random): People {
  let left = random.share() * WHOLE
  for (const people of PEOPLES) {
    left -= people.share
    if (left < 0) return people
  }
  return PEOPLES[0]!
}

/** Toll-free numbers: none of them rings in anybody's pocket. */
const phoneOf = (random: Random): string => `+234 800 ${random.digits(3)} ${random.digits(4)}`

/** `Koné` is `kone` in an address, and a space is a dash. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .replaceAll(' ', '-')
    .toLowerCase()

function unique(text: string, taken: Map<string, number>): string {
  const before = taken.get(text) ?? 0
  taken.set(text, before + 1)
  return before === 0 ? text : `${text}${before + 1}`
}
