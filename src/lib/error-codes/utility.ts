import type { ErrorCodeEntry } from './entry.ts'

/** About bills, airtime and pins that are paid out of the wallet. */
export const UTILITY = {
  enquiry_required: {
    kind: 'precondition',
    responseCode: '12',
    means: 'Nobody asked for this customer and package within the last 30 minutes.',
    mend: 'Make the customer enquiry, then send this again.',
  },
  utility_amount_refused: {
    kind: 'invalid',
    responseCode: '13',
    means: 'The amount is missing, not the price of the package, or not within its limits.',
    mend: 'Send the amount that the enquiry named, or one within its limits.',
  },
  payment_reference_used: {
    kind: 'conflict',
    responseCode: '94',
    means: 'Another utility payment has this paymentReference; nothing was bought.',
    mend: 'Get that payment, or send a new reference for a new one.',
  },
  utility_payment_failed: {
    kind: 'internal',
    means: 'The biller refused; nothing was bought, and the wallet has its money back.',
    mend: 'Mend what the message says; the same paymentReference may be used again.',
  },
  utility_payment_state: {
    kind: 'conflict',
    means: 'The utility payment has ended.',
    mend: 'Get the payment, and look at its status.',
  },
  utility_payment_not_found: {
    kind: 'not_found',
    means: 'There is no such utility payment in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  utility_category_not_found: {
    kind: 'not_found',
    means: 'There is no such category of billers.',
    mend: 'List the categories.',
  },
  utility_biller_not_found: {
    kind: 'not_found',
    means: 'There is no such biller.',
    mend: 'List the billers; each has a slug.',
  },
  utility_package_not_found: {
    kind: 'not_found',
    means: 'No biller has such a package.',
    mend: 'List the packages; each has a slug.',
  },
  utility_customer_not_found: {
    kind: 'not_found',
    means: 'The biller has no such customer; the message says of whom it has none.',
    mend: 'Check the number with the customer, and the package.',
  },
  utility_customer_not_resolved: {
    kind: 'unavailable',
    means: 'The biller did not answer who the customer is; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
} satisfies Record<string, ErrorCodeEntry>
