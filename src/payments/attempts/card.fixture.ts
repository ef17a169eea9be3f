import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

type Server = Awaited<ReturnType<typeof startServer>>

const SALES = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'

/** A business, and payers who pay it on its pages by card. */
export async function cardShop(server: Server, { live = false } = {}) {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(live ? keys.liveSecret : keys.testSecret)

  /** Returns the path of a new invoice's page. */
  async function invoice(amount: number, more: object = {}) {
    const body = { customerEmail: 'ada@example.com', amount, ...more }
    const created = (await post(`${SALES}/invoices`, body)).body.data
    const { pathname } = new URL(created.hostedUrl)
    return { reference: created.reference as string, path: pathname }
  }
  async function checkout(amount: number, more: object = {}) {
    const body = { customerEmail: 'ada@example.com', amount, ...more }
    const { status, text, body: reply } = await post(`${SALES}/initialize-checkout`, body)
    if (status !== 201) throw new Error(text)
    const { pathname } = new URL(reply.data.authorizationUrl)
    return { ...reply.data, path: pathname } as {
      reference: string
      path: string
      channels: string[]
    }
  }
  /** Opens a page of this server, without following redirects. */
  const open = (address: string, form?: Record<string, string>) => {
    const { pathname, search } = new URL(address, server.url)
    return fetch(server.url + pathname + search, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
  }
  const read = async (address: string) => (await open(address)).text()
  /** Chooses to pay by card. Returns where the payer is sent. */
  async function chooseCard(path: string, more: Record<string, string> = {}): Promise<string> {
    const reply = await open(`${path}/pay`, { channel: 'CARD', ...more })
    expect([reply.status, await reply.text()]).toEqual([303, ''])
    return reply.headers.get('location')!
  }
  /** Follows the redirect from a provider's page, and returns the page that the payer then sees. */
  async function comeBack(address: string): Promise<string> {
    const reply = await open(address)
    expect(reply.status).toBe(303)
    return read(reply.headers.get('location')!)
  }
  const payments = async () => (await get(`${MONEY}/transactions`)).body.data as Payment[]
  return { businessId, get, post, invoice, checkout, open, read, chooseCard, comeBack, payments }
}

interface Payment {
  id: number
  reference: string
  channel: string
  status: string
  payUrl: string | null
  late: boolean
  overpaidAmount: number
  gatewayResponse: string | null
}

/** Where the forms of a page can lead. */
export const formTargetsOf = (page: Response): string =>
  /form-action ([^;]*)/.exec(page.headers.get('content-security-policy')!)![1]!
