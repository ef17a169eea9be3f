/**
 * Some of the banks of Nigeria as Flutterwave names them, with what their customers dial to pay.
 * Those without a code have no USSD.
 */
export const BANKS = [
  { id: 1, code: '044', name: 'Access Bank', ussd: '*901*000*' },
  { id: 7, code: '070', name: 'Fidelity Bank', ussd: '*770*000*' },
  { id: 8, code: '011', name: 'First Bank of Nigeria', ussd: '*894*000*' },
  { id: 9, code: '058', name: 'GTBank Plc', ussd: '*737*000*' },
  { id: 188, code: '090267', name: 'Kuda', ussd: null },
  { id: 412, code: '100004', name: 'OPAY', ussd: null },
  { id: 18, code: '033', name: 'United Bank for Africa', ussd: '*919*4*' },
  { id: 19, code: '035', name: 'Wema Bank', ussd: '*945*000*' },
  { id: 20, code: '057', name: 'Zenith Bank', ussd: '*966*000*' },
] as const

/** The bank of the accounts that Flutterwave opens itself. */
export const OWN_BANK = 'WEMA BANK'

export const bankByCode = (code: string) => BANKS.find((bank) => bank.code === code)

/** The account numbers that exist in the test world, at Access Bank. */
const TEST_ACCOUNTS = /^06900000(3\d|4[01])$/

/**
 * The name of an account. In the live world every account of ten digits has one, but for those that
 * begin with 9999.
 */
export function holderOf(code: string, number: string, isTest: boolean): string | undefined {
  const exists = isTest
    ? code === '044' && TEST_ACCOUNTS.test(number)
    : bankByCode(code) && /^\d{10}$/.test(number) && !number.startsWith('9999')
  return exists ? `ACCOUNT HOLDER ${number.slice(-4)}` : undefined
}
