/** Some of the banks of Nigeria as Paystack names them: its number, its code, and the NIP code. */
export const BANKS = [
  { id: 1, code: '044', nip: '000014', slug: 'access-bank', name: 'Access Bank' },
  {
    id: 7,
    code: '011',
    nip: '000016',
    slug: 'first-bank-of-nigeria',
    name: 'First Bank of Nigeria',
  },
  { id: 6, code: '070', nip: '000007', slug: 'fidelity-bank', name: 'Fidelity Bank' },
  { id: 9, code: '058', nip: '000013', slug: 'guaranty-trust-bank', name: 'Guaranty Trust Bank' },
  { id: 67, code: '50211', nip: '090267', slug: 'kuda-bank', name: 'Kuda Bank' },
  {
    id: 171,
    code: '999992',
    nip: '100004',
    slug: 'paycom',
    name: 'OPay Digital Services Limited (OPay)',
  },
  {
    id: 18,
    code: '033',
    nip: '000004',
    slug: 'united-bank-for-africa',
    name: 'United Bank For Africa',
  },
  { id: 20, code: '035', nip: '000017', slug: 'wema-bank', name: 'Wema Bank' },
  { id: 21, code: '057', nip: '000015', slug: 'zenith-bank', name: 'Zenith Bank' },
] as const

/** The bank of the accounts that Paystack opens itself. */
export const OWN_BANK = { slug: 'titan-paystack', name: 'Paystack-Titan', id: 629 }

export const bankByCode = (code: string) => BANKS.find((bank) => bank.code === code)
export const bankById = (id: string) => BANKS.find((bank) => `${bank.id}` === id)
