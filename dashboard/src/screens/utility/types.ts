import type {
  EnquireUtilityCustomerAnswer,
  UtilityPayment as Paid,
} from '../../../../sdk/src/operations.ts'
import { t } from '../../texts/utility.ts'

export type Bill = Paid['responseData']
export type { Paid }
export type Enquiry = EnquireUtilityCustomerAnswer['responseData']

/** What the number is called by which each kind of biller knows a customer. */
export const NUMBERS: Record<string, string> = {
  airtime: t.phoneNumber,
  data: t.phoneNumber,
  electricity: t.meterNumber,
  television: t.smartCardNumber,
  exams: t.numberOfTheCandidateOr,
}
