import type {
  EnquireUtilityCustomerAnswer,
  UtilityPayment as Paid,
} from '../../../../sdk/src/operations.ts'

export type Bill = Paid['responseData']
export type { Paid }
export type Enquiry = EnquireUtilityCustomerAnswer['responseData']

/** What the number is called by which each kind of biller knows a customer. */
export const NUMBERS: Record<string, string> = {
  airtime: 'Phone number',
  data: 'Phone number',
  electricity: 'Meter number',
  television: 'Smart card number',
  exams: 'Number of the candidate, or phone number',
}
