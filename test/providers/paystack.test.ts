import { paystack } from '../../src/providers/paystack/connector.ts'
import { startServer } from '../harness.ts'
import { describeConnector } from './conformance.ts'
import { paystack as doubleOf } from './doubles/paystack/paystack.ts'
import { startDouble } from './doubles/start.ts'
import { describeJourney } from './journey.ts'
import type { Subject } from './rig.ts'

const openDouble = (now?: Date) => startDouble((kit) => doubleOf(kit), now && { now })
const bankOf = { code: '057', id: '21', name: 'Zenith Bank' }

const subjectOf = (double: Awaited<ReturnType<typeof openDouble>>): Subject => {
  const { payer, bank, refunds, disputes, owner, secretKey } = double.provider
  return {
    connector: paystack,
    double,
    lacks: ['withdrawal'],
    now: double.now,
    advance: double.advance,
    credentials: () => ({ secret_key: secretKey() }),
    wrongCredentials: { secret_key: 'sk_live_other' },
    otherEnvironment: { secret_key: 'sk_test_double1' },
    requests: {
      payOut: {
        on: 'POST /transfer',
        fields: ['status', 'data', 'data.status', 'data.reference'],
      },
      payOutMany: { on: 'POST /transfer/bulk', fields: ['status', 'data'] },
      refund: { on: 'POST /refund', fields: ['status', 'data', 'data.id', 'data.status'] },
      openVirtualAccount: {
        on: 'POST /charge',
        fields: ['data', 'data.reference', 'data.account_number', 'data.account_name', 'data.bank'],
      },
      startUssd: { on: 'POST /charge', fields: ['data.reference', 'data.ussd_code'] },
      openHostedPage: {
        on: 'POST /transaction/initialize',
        fields: ['status', 'data', 'data.reference', 'data.authorization_url'],
      },
      lookUpPayout: {
        on: 'GET /transfer/verify/*',
        fields: ['status', 'data', 'data.status', 'data.reference'],
      },
      lookUpCharge: {
        on: 'GET /transaction/verify/*',
        fields: ['id', 'status', 'amount', 'currency', 'reference'].map((field) => `data.${field}`),
      },
      lookUpRefund: { on: 'GET /refund*', fields: ['data', 'data.id', 'data.status'] },
      balances: { on: 'GET /balance', fields: ['data', 'data.balance', 'data.currency'] },
      banks: { on: 'GET /bank', fields: ['data', 'data.code', 'data.name'] },
      resolveAccount: { on: 'GET /bank/resolve', fields: ['data', 'data.account_name'] },
      charges: {
        on: 'GET /transaction',
        fields: ['data', 'data.id', 'data.amount', 'data.currency', 'data.status'],
      },
      disputes: { on: 'GET /dispute', fields: ['data', 'data.id', 'data.status'] },
    },
    account: { bank: bankOf, accountNumber: '0123456789', accountName: 'ADA OBI' },
    unknownAccount: { bank: bankOf, accountNumber: '01', accountName: null },
    ussdBanks: { with: '058', without: '057' },
    words: {
      payout: {
        success: 'Successful',
        failed: 'Failed',
        abandoned: 'Failed',
        // Of a transfer that was never paid.
        reversed: 'Failed',
        pending: 'Pending',
        otp: 'Blocked',
        blocked: 'Failed',
        rejected: 'Rejected',
      },
      journey: [
        ['success', 'Successful'],
        ['reversed', 'Returned'],
        ['failed', 'Failed'],
        ['success', 'Successful'],
      ],
      refund: {
        pending: 'Pending',
        processing: 'Pending',
        failed: 'Failed',
        'needs-attention': 'NeedsAttention',
        processed: 'Successful',
      },
    },
    feeField: 'data.fees',
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
    rotateNoticeSecret: owner.rotateKey,
  }
}

describeConnector(subjectOf(await openDouble()))

const other = await openDouble(new Date())
describeJourney({
  server: await startServer({ jobs: false }),
  subject: subjectOf(other),
  makeAvailable: () => {},
})
