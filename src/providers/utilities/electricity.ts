import { withAmounts } from './catalogue.ts'

/** The eleven distribution companies, by the names of their areas. */
const DISCOS = [
  ['aedc', 'Abuja Electricity (AEDC)'],
  ['bedc', 'Benin Electricity (BEDC)'],
  ['ekedc', 'Eko Electricity (EKEDC)'],
  ['eedc', 'Enugu Electricity (EEDC)'],
  ['ibedc', 'Ibadan Electricity (IBEDC)'],
  ['ikedc', 'Ikeja Electric (IKEDC)'],
  ['jedc', 'Jos Electricity (JEDC)'],
  ['kaedc', 'Kaduna Electric (KAEDC)'],
  ['kedco', 'Kano Electricity (KEDCO)'],
  ['phedc', 'Port Harcourt Electricity (PHEDC)'],
  ['yedc', 'Yola Electricity (YEDC)'],
] as const

/** A prepaid meter takes a token of twenty digits; a postpaid account is simply credited. */
export const ELECTRICITY = DISCOS.map(([slug, name]) =>
  withAmounts({ slug, name, category: 'electricity' }, [
    { slug: 'prepaid', name: `${name}, prepaid`, from: 1_000, upTo: 1_000_000, voucher: 'token' },
    { slug: 'postpaid', name: `${name}, postpaid`, from: 500, upTo: 1_000_000 },
  ]),
)
