import type { Reply } from '../../../test/harness.ts'

const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'
export const SPLIT_PAGES = '/api/transaction-service/external/v1/split-page'

interface Page {
  splitType?: 'percentage' | 'fixed'
  status?: boolean
  feeBearer?: string
}

/** Creates a split page with a new subaccount for each share. Returns the ids. */
export async function makeSplitPage(post: Post, shares: readonly number[], page: Page = {}) {
  const subaccounts: number[] = []
  const codes: { subaccount: string; share: number }[] = []
  for (const [i, share] of shares.entries()) {
    const { body } = await post(SUBACCOUNTS, {
      business_name: `Stall ${i + 1}`,
      account_number: `000000010${i}`,
      percentage_charge: 0,
    })
    subaccounts.push(body.data.id)
    codes.push({ subaccount: body.data.reference, share })
  }
  const made = await post(SPLIT_PAGES, { name: 'Market', ...page, subaccounts: codes })
  if (made.status !== 201) throw new Error(made.text)
  return { id: made.body.data.id as number, subaccounts, codes }
}

type Post = (path: string, body?: unknown) => Promise<Reply>
