/**
 * The ledger's public API: balances, and every movement behind them. It deals only with amounts and
 * accounts, not with invoices.
 *
 *     await postJournal(tx, ids, tenant, {
 *       cause: { type: 'transaction', id }, verb: 'settle', now,
 *       moves: [
 *         { debit: clearing, credit: wallet, amount_minor: net_minor, kind: 'charge' },
 *         { debit: clearing, credit: fees, amount_minor: fee_minor, kind: 'fee' },
 *       ],
 *       eventOn: wallet,
 *     })
 *
 * A payout starts with `hold` and ends with `postHold` or `voidHold` for the same cause.
 */
export { type AccountRef, clearingOf, DEBIT_KINDS, walletOf } from './accounts.ts'
export { type Hold, type HoldSource, hold, holdAll, postHold, voidHold } from './holds.ts'
export {
  AlreadyPosted,
  bookProviderFee,
  type Cause,
  feeFromWallet,
  type Move,
  type PostedJournal,
  postJournal,
  postJournals,
  providerFeeMoves,
  type TenantJournal,
  type Through,
} from './posting.ts'
export { selectBalances as balancesOf, selectBookedFees as bookedFeesOf } from './queries.ts'
