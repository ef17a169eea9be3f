import { flutterwave } from '../../src/providers/flutterwave/connector.ts'
import { startServer } from '../harness.ts'
import { describeConnector } from './conformance.ts'
import { flutterwave as doubleOf } from './doubles/flutterwave/flutterwave.ts'
import { startDouble } from './doubles/start.ts'
import { describeJourney } from './journey.ts'
import type { Subject } from './rig.ts'

const openDouble = (now?: Date) =>
  startDouble((kit) => doubleOf(kit, { signs: true }), now && { now })
const bankOf = { code: '058', id: '9', name: 'GTBank Plc' }

const transaction = ['id', 'amount', 'currency', 'status', 'tx_ref'].map((one) => `data.${one}`)
const transfer = ['id', 'status', 'reference', 'amount', 'currency'].map((one) => `data.${one}`)

const subjectOf = (double: Awaited<ReturnType<typeof openDouble>>): Subject => {
  const { payer, bank, refunds, disputes, owner, secretKey, secretHash } = double.provider
  return {
    connector: flutterwave,
    double,
    lacks: ['withdrawal', 'refund retries'],
    now: double.now,
    advance: double.advance,
    credentials: () => ({ secret_key: secretKey(), secret_hash: secretHash() }),
    wrongCredentials: { secret_key: 'FLWSECK-other-X', secret_hash: secretHash() },
    otherEnvironment: { secret_key: 'FLWSECK_TEST-double1-X' },
    requests: {
      payOut: { on: 'POST /transfers', fields: ['status', 'data', ...transfer] },
      payOutMany: { on: 'POST /bulk-transfers', fields: ['status', 'data', 'data.id'] },
      refund: {
        on: 'POST /transactions/*',
        fields: ['data', 'data.id', 'data.tx_id', 'data.status', 'data.amount_refunded'],
      },
      openVirtualAccount: {
        on: 'POST /charges',
        fields: [
          ...['status', 'meta', 'meta.authorization.transfer_account'],
          'meta.authorization.transfer_bank',
        ],
      },
      startUssd: {
        on: 'POST /charges',
        fields: ['data', 'data.id', 'data.tx_ref', 'meta.authorization.note'],
      },
      openHostedPage: { on: 'POST /payments', fields: ['status', 'data', 'data.link'] },
      lookUpPayout: { on: 'GET /transfers*', fields: ['status', 'data', ...transfer] },
      lookUpCharge: {
        on: 'GET /transactions*',
        fields: ['status', 'data', 'data.created_at', ...transaction],
      },
      lookUpRefund: {
        on: 'GET /refunds*',
        fields: ['data', 'data.id', 'data.status', 'data.amount_refunded'],
      },
      balances: {
        on: 'GET /balances',
        fields: ['data', 'data.available_balance', 'data.currency'],
      },
      banks: { on: 'GET /banks/*', fields: ['data', 'data.code', 'data.name'] },
      resolveAccount: { on: 'POST /accounts/resolve', fields: ['data', 'data.account_name'] },
      charges: {
        on: 'GET /transactions',
        fields: ['data', 'data.created_at', ...transaction.slice(0, 4)],
      },
      disputes: { on: 'GET /chargebacks', fields: ['data', 'data.id', 'data.amount'] },
    },
    account: { bank: bankOf, accountNumber: '0123456789', accountName: 'ADA OBI' },
    unknownAccount: { bank: bankOf, accountNumber: '9999000000', accountName: null },
    ussdBanks: { with: '058', without: '50211' },
    words: {
      payout: { NEW: 'Pending', PENDING: 'Pending', SUCCESSFUL: 'Successful', FAILED: 'Failed' },
      journey: [
        ['SUCCESSFUL', 'Successful'],
        ['FAILED', 'Returned'],
        ['SUCCESSFUL', 'Successful'],
      ],
      refund: {
        new: 'Pending',
        pending: 'Pending',
        completed: 'Pending',
        failed: 'Failed',
        'completed-momo': 'Successful',
        'completed-offline': 'Successful',
        'completed-preauth': 'Successful',
        'completed-bank-transfer': 'Successful',
        'completed-mpgs': 'Successful',
        successful: 'Successful',
      },
    },
    feeField: 'data.amount_settled',
    executed: async (reference) => double.books.executed.get(reference) ?? 0,
    transferTo: payer.transferTo,
    dial: (code, _, approves) => payer.dial(code, approves),
    payHosted: (...args) => payer.payHosted(...args),
    settlePayout: (reference, word) =>
      bank.settle(reference, word as Parameters<typeof bank.settle>[1]),
    settleRefund: (_, id, word) => refunds.settle(id, word as Parameters<typeof refunds.settle>[1]),
    topUp: owner.topUp,
    allowAddress: owner.allowAddress,
    settleToBank: owner.settleToBank,
    openDispute: disputes.open,
    decideDispute: disputes.decide,
    rotateNoticeSecret: owner.rotateHash,
  }
}

describeConnector(subjectOf(await openDouble()))

const other = await openDouble(new Date())
describeJourney({
  server: await startServer({ jobs: false }),
  subject: subjectOf(other),
  makeAvailable: other.provider.owner.settleToWallet,
})
