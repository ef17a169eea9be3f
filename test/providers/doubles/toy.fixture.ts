import { createHmac } from 'node:crypto'
import { openDescription } from './described.ts'
import type { Kit, Provider } from './double.ts'

/** A provider with one kind of order, to test what all doubles share. */
export const TOY = openDescription({
  'POST /order': {
    parameters: [],
    body: {
      allOf: [
        {
          type: 'object',
          required: ['reference', 'amount'],
          properties: { reference: { type: 'string' }, amount: { type: 'integer' } },
        },
        { properties: { note: { type: 'string', nullable: true } } },
      ],
    },
    answers: { 200: answer({ type: 'object' }), default: answer({}) },
  },
  'GET /order/{reference}': {
    parameters: [
      { name: 'reference', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'full', in: 'query', schema: { type: 'boolean' } },
    ],
    answers: { 200: answer({ type: 'object' }), default: answer({}) },
  },
})

function answer(data: object) {
  return {
    type: 'object',
    required: ['status', 'message'],
    properties: { status: { type: 'boolean' }, message: { type: 'string' }, data },
  }
}

export const KEY = 'sk_test_toy'
export const signatureOf = (body: string, key = KEY) =>
  createHmac('sha512', key).update(body).digest('hex')

interface Faulty {
  /** Executes a reference again. */
  repeats: boolean
  /** Answers without a message. */
  isCurt: boolean
}

export function toyProvider({ books, notices, nextId }: Kit, faulty: Faulty) {
  const orders = new Map<string, { id: number; reference: string; amount: bigint }>()
  const data = (reference: string) => ({
    ...orders.get(reference),
    currency: 'NGN',
    status: 'done',
  })
  const refusal = (_status: number, message: string) => ({ status: false, message })
  const notFound = () => ({ status: 404, body: refusal(404, 'Order not found') })

  return {
    description: 'toy',
    operations: {
      'POST /order': ({ body: { reference, amount } }) => {
        if (orders.has(reference) && !faulty.repeats) {
          return { status: 400, body: refusal(400, 'Reference already exists') }
        }
        const id = nextId()
        orders.set(reference, { id, reference, amount: BigInt(amount) })
        books.execute(reference)
        const entry = { kind: 'payout', reference, providerId: `${id}`, currency: 'NGN' } as const
        books.enter({ ...entry, amount_minor: -BigInt(amount) })
        notices.notify('order.done', { event: 'order.done', data: data(reference) })
        const body = { status: true, message: 'Done', data: data(reference) }
        return { status: 200, body: faulty.isCurt ? { status: true } : body }
      },
      'GET /order/{reference}': ({ params }) =>
        orders.has(params.reference!)
          ? { status: 200, body: { status: true, message: 'Found', data: data(params.reference!) } }
          : notFound(),
    },
    admit: ({ headers }) =>
      headers.authorization === `Bearer ${KEY}`
        ? undefined
        : { status: 401, body: refusal(401, 'Invalid key') },
    refusal,
    notFound,
    sign: (body: string, key?: string) => ({ 'x-toy-signature': signatureOf(body, key) }),
    proves: 'body',
    retriesMs: [180_000, 180_000],
    acts: { order: ({ reference }) => data(reference!) },
  } satisfies Provider
}
