import { withPrices } from './catalogue.ts'

/** Each is a pin that is sent to the candidate’s telephone number. */
export const EXAMS = [
  withPrices({ slug: 'waec', name: 'WAEC', category: 'exams' }, [
    { slug: 'result-checker', name: 'WAEC result checker pin', naira: 3_900, voucher: 'pin' },
    { slug: 'registration', name: 'WAEC registration pin', naira: 27_000, voucher: 'pin' },
  ]),
  withPrices({ slug: 'neco', name: 'NECO', category: 'exams' }, [
    { slug: 'result-token', name: 'NECO result token', naira: 1_500, voucher: 'pin' },
  ]),
  withPrices({ slug: 'jamb', name: 'JAMB', category: 'exams' }, [
    { slug: 'utme', name: 'JAMB UTME pin', naira: 7_200, voucher: 'pin' },
    { slug: 'utme-mock', name: 'JAMB UTME pin, with the mock', naira: 8_700, voucher: 'pin' },
    { slug: 'direct-entry', name: 'JAMB direct entry pin', naira: 5_700, voucher: 'pin' },
  ]),
]
