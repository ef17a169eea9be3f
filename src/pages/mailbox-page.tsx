import { assetUrls } from './assets.ts'
import { asIs, Notice, Rows } from './components.tsx'
import { formatOf } from './format.ts'
import { renderDocument } from './layout.tsx'
import { type Texts, textsOf } from './texts.ts'
import type { MailboxView, MailListed, MailView, PageContext } from './views.ts'

/** The newest mails that stayed on this machine. */
export function renderMailboxPage({ mails }: MailboxView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  return renderDocument({
    ctx,
    t,
    title: t.mailbox.title,
    styles: [assetUrls.mailboxStyle],
    children: (
      <main id="page" class="mailbox">
        <h1>{t.mailbox.title}</h1>
        <p class="soft">{t.mailbox.text}</p>
        {mails.length === 0 ? (
          <Notice tone="plain" icon="dot" heading={t.mailbox.none}>
            <p>{t.mailbox.noneText}</p>
          </Notice>
        ) : (
          <ul class="mails">
            {mails.map((mail) => (
              <Line key={mail.path} mail={mail} t={t} locale={ctx.locale} />
            ))}
          </ul>
        )}
      </main>
    ),
  })
}

function Line({ mail, t, locale }: { mail: MailListed; t: Texts; locale: string }) {
  return (
    <li>
      <a href={mail.path}>{mail.subject ?? t.mailbox.noReason}</a>
      <span class="fine" {...asIs}>
        {mail.to} · {t.mailbox.status[mail.status]} · {momentOf(mail.createdAt, locale)}
      </span>
    </li>
  )
}

const momentOf = (at: Date, locale: string) => formatOf('NGN', locale, 'UTC').dayAndTime(at)

/** One mail: who, what, and its letter as HTML and as text. */
export function renderMailPage(view: MailView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  const { letter } = view
  const subject = view.subject ?? t.mailbox.noReason
  return renderDocument({
    ctx,
    t,
    title: subject,
    styles: [assetUrls.mailboxStyle],
    children: (
      <main id="page" class="mailbox">
        <p>
          <a href="/mailbox">{t.mailbox.back}</a>
        </p>
        <h1>{subject}</h1>
        <Rows
          pairs={[
            [t.mailbox.to, view.to],
            [t.mailbox.from, letter?.from],
            [t.mailbox.replyTo, letter?.replyTo],
            [t.mailbox.written, `${momentOf(view.createdAt, ctx.locale)} UTC`],
            [t.mailbox.state, t.mailbox.status[view.status]],
            [t.mailbox.error, view.error ?? undefined],
          ]}
        />
        {letter && (
          <>
            <h2>{t.mailbox.html}</h2>
            <iframe
              class="letter"
              title={t.mailbox.html}
              src={`${view.path}/html`}
              sandbox="allow-popups allow-popups-to-escape-sandbox"
            />
            <h2>{t.mailbox.plain}</h2>
            <pre class="letter">{letter.text}</pre>
          </>
        )}
      </main>
    ),
  })
}
