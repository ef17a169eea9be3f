import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { paymentPageChecks } from './audit.ts'
import { DELETE, openPages } from './payment-pages.fixture.ts'

const server = await startServer({ jobs: false })

/** The ids of the pages to damage, and of a split page. */
interface Rows {
  business: number
  /** Published, with a product and without an amount. */
  sold: number
  /** With a free amount and a split page. */
  free: number
  deleted: number
  splitPage: number
}

/** Creates the business that the tests damage. */
async function openRows(): Promise<Rows> {
  const { make, post, product, splitPage: newSplitPage, businessId } = await openPages(server)
  const splitPage = await newSplitPage()
  const sold = await make({ amountType: 'fixed', productIds: await product() })
  const free = await make({ description: 'About it', splitPageId: splitPage })
  const deleted = await make()
  await post(DELETE, { pageId: deleted.id })
  return { business: businessId, sold: sold.id, free: free.id, deleted: deleted.id, splitPage }
}

const counts = ({ free }: Rows) => [`payment-page-counts: payment_pages ${free}`]
/** For counts that differ from the checkouts. */
const miscounted = (of: Rows) => [`page-counts: payment_page_counts ${of.free}`, ...counts(of)]
const texts = (id: number) => [`payment-page-texts: payment_pages ${id}`]

const damages: Damage<Rows>[] = [
  [
    'negative views',
    ({ free }) => `update payment_page_counts set views = -1 where page_id = ${free}`,
    counts,
  ],
  [
    'more payments than checkouts',
    ({ free }) => `update payment_page_counts set payments = 1 where page_id = ${free}`,
    miscounted,
  ],
  [
    'a place without a checkout',
    ({ free }) => `update payment_page_counts set open_checkouts = 1 where page_id = ${free}`,
    miscounted,
  ],
  [
    'money without a payment',
    ({ free }) => `update payment_page_counts set amount_minor = 1 where page_id = ${free}`,
    miscounted,
  ],
  [
    'a page without counts',
    ({ free }) => `delete from payment_page_counts where page_id = ${free}`,
    counts,
  ],
  [
    'a Published page with nothing to pay for',
    ({ sold }) => `delete from payment_page_products where page_id = ${sold}`,
    ({ sold }) => [`published-pages: payment_pages ${sold}`],
  ],
  [
    'a page with an unknown split page',
    ({ free }) => `update payment_pages set split_page_id = 7 where id = ${free}`,
    ({ free }) => [`payment-page-split-pages: payment_pages ${free}`],
  ],
  [
    'a split page in another currency',
    ({ splitPage }) => `update split_pages set currency = 'USD' where id = ${splitPage}`,
    ({ free }) => [`payment-page-split-pages: payment_pages ${free}`],
  ],
  [
    'a page that search does not find by its title',
    ({ sold }) => `update payment_pages set title = 'Another' where id = ${sold}`,
    ({ sold }) => texts(sold),
  ],
  [
    'a page that search does not find at all',
    ({ free }) => `delete from search_texts where id = ${free}`,
    ({ free }) => texts(free),
  ],
  [
    'a deleted page that is not marked as deleted',
    ({ deleted }) => `update payment_pages set deleted_at = null where id = ${deleted}`,
    ({ deleted }) => texts(deleted),
  ],
  [
    'a page marked as deleted that is still found',
    ({ free }) => `update payment_pages set deleted_at = updated_at where id = ${free}`,
    ({ free }) => texts(free),
  ],
  [
    'a page without its link',
    ({ free }) => `delete from page_links where page_id = ${free}`,
    ({ free }) => [`linked-payment-pages: payment_pages ${free}`],
  ],
  [
    'a deleted page whose link is free again',
    ({ deleted }) => `delete from page_links where page_id = ${deleted}`,
    ({ deleted }) => [`linked-payment-pages: payment_pages ${deleted}`],
  ],
  [
    'a link that differs from its page’s',
    ({ sold }) => `update page_links set link = 'planted-link-${sold}' where page_id = ${sold}`,
    ({ sold }) => [`linked-payment-pages: payment_pages ${sold}`, `page-links: page_links ${sold}`],
  ],
  [
    'a page that lost an event',
    ({ free }) => `update payment_pages set event_sequence = 2 where id = ${free}`,
    ({ free }) => [`payment_page-events: payment_pages ${free}`],
  ],
]

testDamages('the audit of payment pages', {
  server,
  shop: openRows,
  damages,
  checks: paymentPageChecks,
})
