import type { ErrorCodeEntry } from './entry.ts'

/** It cannot be done now. */
export const NOT_NOW = {
  request_in_progress: {
    kind: 'conflict',
    means: 'The first request with this Idempotency-Key is still running.',
    mend: 'Send it again, with the same key, after `Retry-After`.',
  },
  idempotency_key_reused: {
    kind: 'key_reused',
    means: 'This Idempotency-Key was used for another request.',
    mend: 'Use a new key for a new request.',
  },
  record_changed: {
    kind: 'precondition',
    means: 'The record is not any more as the `ETag` in `If-Match` has it; nothing was done.',
    mend: 'Read it again, see what changed, and send this with the `ETag` that it has now.',
  },
  invoice_state: {
    kind: 'conflict',
    means: 'The invoice is in a state that does not allow this; the message names both.',
    mend: 'Get the invoice, and look at its status.',
  },
  invoice_not_payable: {
    kind: 'conflict',
    means: 'The invoice was paid or voided meanwhile.',
    mend: 'Look at its page again.',
  },
  key_state: {
    kind: 'conflict',
    means: 'The key is revoked or expired.',
    mend: 'Create a new one.',
  },
  split_page_inactive: {
    kind: 'conflict',
    means: 'The split page is inactive, so nothing is paid on it.',
    mend: 'Activate it, or begin the payment on another page.',
  },
  transaction_state: {
    kind: 'conflict',
    means: 'The payment is in a state that does not allow this; the message says why.',
    mend: 'Get the transaction, and look at its status.',
  },
  subaccount_inactive: {
    kind: 'conflict',
    means: 'The subaccount is Inactive, so nothing new is shared with it.',
    mend: 'Activate it: update it with `active: true`.',
  },
  bank_missing: {
    kind: 'conflict',
    means: 'The subaccount has no bank, so there is no account to confirm.',
    mend: 'Update it with `bank` first.',
  },
  currency_fixed: {
    kind: 'conflict',
    means: 'The currency of this record was settled when it was created.',
    mend: 'Create another one in that currency.',
  },
  currency_mismatch: {
    kind: 'conflict',
    means: 'The subaccount and the split page have different currencies.',
    mend: 'Use a subaccount of the page’s currency.',
  },
  split_page_shared: {
    kind: 'conflict',
    means: 'The split page has shares, so that its type and currency cannot change.',
    mend: 'Remove its subaccounts first, or create another page.',
  },
  split_page_full: {
    kind: 'conflict',
    means: 'The split page has a hundred subaccounts, the most that it can have.',
    mend: 'Remove one, or create another page.',
  },
  page_full: {
    kind: 'conflict',
    means: 'The payment page has had, or has under way, as many payments as it takes.',
    mend: 'Raise its `maxPayments`, or wait: an open checkout may expire or be cancelled.',
  },
  link_taken: {
    kind: 'conflict',
    means: 'Another page of this server has this link.',
    mend: 'Choose another one, or leave it out: one is made from the name.',
  },
  slug_taken: {
    kind: 'conflict',
    means: 'Another product has this slug.',
    mend: 'Choose another one, or leave it out: one is made from the name.',
  },
  option_taken: {
    kind: 'conflict',
    means: 'The product has this option, or the option this value, perhaps in another case.',
    mend: 'Use the one that is there, or choose another name.',
  },
  last_option_value: {
    kind: 'conflict',
    means: 'An option without values would be none.',
    mend: 'Delete the option.',
  },
  product_has_variants: {
    kind: 'conflict',
    means: 'What there is of a product with variants is the sum of theirs.',
    mend: 'Update the quantity of each variant.',
  },
  delivery_fees_full: {
    kind: 'conflict',
    means: 'The product has delivery fees for a hundred locations, the most that it can have.',
    mend: 'Delete one, or let Everywhere stand for it.',
  },
  product_not_for_sale: {
    kind: 'conflict',
    means: 'The product, or the variant, is not Active, so nobody can buy it now.',
    mend: 'Make it Active, or leave it out.',
  },
  checkout_state: {
    kind: 'conflict',
    means: 'The checkout is in a state that does not allow this; the message names both.',
    mend: 'Get the checkout, and look at its state; begin another one if it has ended.',
  },
  checkout_reference_used: {
    kind: 'conflict',
    means: 'A checkout with this reference exists; the message says its status.',
    mend: 'Get that checkout, or send a new reference for a new one.',
  },
  channel_not_offered: {
    kind: 'conflict',
    means: 'The checkout does not offer to be paid in this way.',
    mend: 'Begin another one with this channel among its `channels`.',
  },
  page_closed: {
    kind: 'conflict',
    means: 'The payment page is Unpublished, or its time is over.',
    mend: 'Publish it, or move its expiry.',
  },
  discount_code_taken: {
    kind: 'conflict',
    means: 'Another discount has this code, in whatever case.',
    mend: 'Choose another one, or update that discount.',
  },
  discount_used: {
    kind: 'conflict',
    means: 'The discount was used more often than this would allow.',
    mend: 'Allow at least as many uses, or make it Inactive.',
  },
  out_of_stock: {
    kind: 'conflict',
    means: 'There is less of a product than this would put aside; nothing was put aside.',
    mend: 'Take less of what `errors`, or else the message, names.',
  },
  stock_reserved: {
    kind: 'conflict',
    means: 'Buyers who are paying have put some of this aside.',
    mend: 'Archive the product and wait 15 minutes, or leave them what they have.',
  },
  transfer_state: {
    kind: 'conflict',
    means: 'The transfer is in a state that does not allow this; the message names both.',
    mend: 'Get the transfer, and look at its status.',
  },
  transfer_reference_used: {
    kind: 'conflict',
    means: 'A transfer with this transferReference exists; no other was made.',
    mend: 'Get that transfer, or send a new reference for a new one.',
  },
  refund_state: {
    kind: 'conflict',
    means: 'The refund has ended, or is where this would bring it.',
    mend: 'Get the refund, and look at its status.',
  },
  refund_reference_used: {
    kind: 'conflict',
    means: 'A refund with this reference exists; no other was made.',
    mend: 'Get that refund, or send a new reference for a new one.',
  },
  settlement_state: {
    kind: 'conflict',
    means: 'The settlement was paid or has failed already.',
    mend: 'Get the settlement, and look at its status.',
  },
  already_posted: {
    kind: 'conflict',
    means: 'This movement of money was posted already; it was not posted again.',
    mend: 'Nothing: look at the record that caused it.',
  },
  hold_ended: {
    kind: 'conflict',
    means: 'Money that was held was paid out or given back already.',
    mend: 'Look at the record that held it.',
  },
  provider_refused: {
    kind: 'conflict',
    means: 'The bank or network would not start this payment; the message says why.',
    mend: 'Try another channel.',
  },
  webhook_state: {
    kind: 'conflict',
    means: 'The webhook endpoint is disabled, so that nothing is sent to it.',
    mend: 'Update it with `status: "Active"`, and send again.',
  },
  delivery_under_way: {
    kind: 'unavailable',
    means: 'An attempt at this delivery is under way and has not ended yet.',
    mend: 'Look at the delivery in a moment.',
  },
  webhook_exists: {
    kind: 'conflict',
    means:
      'Another webhook endpoint of this business and mode has the same URL; the message names it.',
    mend: 'Update that endpoint, for example its types of events, or use another URL.',
  },
  webhooks_full: {
    kind: 'conflict',
    means: 'There are fifty webhook endpoints in this business and mode, the most there can be.',
    mend: 'Delete one that is not needed, or have one endpoint take more types of events.',
  },
} satisfies Record<string, ErrorCodeEntry>

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
