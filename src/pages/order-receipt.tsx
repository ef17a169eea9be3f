import { asIs, Notice, Rows } from './components.tsx'
import type { Format } from './format.ts'
import { Icon } from './icons.tsx'
import { Payments, refundedOf } from './receipt.tsx'
import { safeUrl } from './safe-url.ts'
import type { Texts } from './texts.ts'
import type { CheckoutView, DownloadView } from './views-checkout.ts'

interface ReceiptProps {
  view: CheckoutView
  t: Texts
  format: Format
}

/** The receipt of a checkout: what was paid, to whom, when and how, and what was bought to keep. */
export function OrderReceipt(props: ReceiptProps) {
  const { view, t, format } = props
  const { merchant, customer, page, downloads, owed } = view
  const address = safeUrl(view.returnUrl)
  return (
    <>
      {owed && (
        <Notice
          tone="waiting"
          icon="alert"
          heading={t.shop.owed[owed.state](format.amount(owed.amountMinor), merchant.name)}
        />
      )}
      {view.isRefunded && (
        <Notice tone="waiting" icon="clock" heading={t.shop.refunded(merchant.name)} />
      )}
      <section class="card receipt" aria-labelledby="receipt">
        <div class="weave" aria-hidden="true" />
        {view.isRefunded ? (
          <>
            <p class="seal plain">
              <Icon name="clock" />
            </p>
            <h2 id="receipt">{t.shop.state.refunded}</h2>
          </>
        ) : (
          <>
            <p class="seal good">
              <Icon name="check" />
            </p>
            <h2 id="receipt">{t.paid.heading}</h2>
            {page?.successMessage && <p class="note">{page.successMessage}</p>}
            <p class="soft">{t.paid.text(merchant.name)}</p>
            <p class="soft">{t.shop.mailed(customer.email)}</p>
          </>
        )}
        <Facts {...props} />
        {view.test && <p class="fine test-note">{t.test.receipt}</p>}
        {downloads.length > 0 && <Downloads t={t} format={format} downloads={downloads} />}
        {address && (
          <a class="button wide" id="back" href={address} rel="noopener noreferrer">
            {t.shop.backTo(merchant.name)}
          </a>
        )}
        <a class="button wide quiet" id="pdf" href={`/receipt/${view.accessCode}/pdf`}>
          <Icon name="down" />
          {t.paper.download}
        </a>
        <button type="button" id="print" class="button quiet wide scripted" data-print>
          <Icon name="print" />
          {t.paid.print}
        </button>
      </section>
    </>
  )
}

function Facts({ view, t, format }: ReceiptProps) {
  const counted = view.payments.filter(({ kind }) => kind === 'Payment')
  const last = counted.at(-1)
  const paid_minor = counted.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
  const paidAt = view.paidAt ?? last?.paidAt
  const refunded_minor = refundedOf(view.payments)
  return (
    <>
      <Rows
        pairs={[
          [t.paid.amount, format.amount(last ? paid_minor : view.amountMinor)],
          [t.paid.refunded, refunded_minor > 0n ? format.amount(refunded_minor) : undefined],
          [t.paid.date, paidAt && format.dayAndTime(paidAt)],
          [t.paid.channel, counted.length === 1 && last ? t.channel[last.channel] : undefined],
          [t.paid.to, view.merchant.name],
          [t.paid.reference, view.orderReference ?? view.reference, 'reference'],
        ]}
      />
      {counted.length > 1 && <Payments t={t} format={format} payments={counted} />}
    </>
  )
}

interface DownloadsProps {
  t: Texts
  format: Format
  downloads: readonly DownloadView[]
}

const Downloads = ({ t, format, downloads }: DownloadsProps) => (
  <div class="downloads">
    <h3>{t.shop.downloads}</h3>
    <ul>
      {downloads.map(({ name, path, left, expiresAt }) => (
        <li key={path}>
          <a href={path} {...asIs}>
            <Icon name="down" />
            {t.shop.download(name)}
          </a>
          <small>
            {left !== undefined && t.shop.left(format.count(left))}{' '}
            {expiresAt && t.shop.goodUntil(format.dayAndTime(expiresAt))}
          </small>
        </li>
      ))}
    </ul>
  </div>
)
