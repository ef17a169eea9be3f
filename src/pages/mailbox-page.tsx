import { assetUrls } from './assets.ts'
import { Notice, noTranslate, Rows } from './components.tsx'
import { formatOf } from './format.ts'
import { renderDocument } from './layout.tsx'
import { en } from './texts/en.ts'
import { mailboxTexts as texts } from './texts/mailbox.ts'
import type { MailboxView, MailListed, MailView, PageContext } from './views.ts'

export function renderMailboxPage({ mails }: MailboxView, ctx: PageContext): string {
  return renderDocument({
    ctx,
    t: en,
    isEnglishOnly: true,
    title: texts.title,
    styles: [assetUrls.mailboxStyle],
    children: (
      <main id="page" class="mailbox">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.text}</p>
        {mails.length === 0 ? (
          <Notice tone="plain" icon="dot" heading={texts.none}>
            <p>{texts.noneText}</p>
          </Notice>
        ) : (
          <ul class="mails">
            {mails.map((mail) => (
              <Line key={mail.path} mail={mail} />
            ))}
          </ul>
        )}
      </main>
    ),
  })
}

function Line({ mail }: { mail: MailListed }) {
  return (
    <li>
      <a href={mail.path}>{mail.subject ?? texts.noReason}</a>
      <span class="fine" {...noTranslate}>
        {mail.to} · {texts.status[mail.status]} · {momentOf(mail.createdAt)}
      </span>
    </li>
  )
}

const momentOf = (at: Date) => formatOf('NGN', en.locale, 'UTC').dayAndTime(at)

export function renderMailPage(view: MailView, ctx: PageContext): string {
  const { letter } = view
  const subject = view.subject ?? texts.noReason
  return renderDocument({
    ctx,
    t: en,
    isEnglishOnly: true,
    title: subject,
    styles: [assetUrls.mailboxStyle],
    children: (
      <main id="page" class="mailbox">
        <p>
          <a href="/mailbox">{texts.back}</a>
        </p>
        <h1>{subject}</h1>
        <Rows
          pairs={[
            [texts.to, view.to],
            [texts.from, letter?.from],
            [texts.replyTo, letter?.replyTo],
            [texts.written, `${momentOf(view.createdAt)} UTC`],
            [texts.state, texts.status[view.status]],
            [texts.error, view.error ?? undefined],
          ]}
        />
        {letter && (
          <>
            <h2>{texts.html}</h2>
            <iframe
              class="letter"
              title={texts.html}
              src={`${view.path}/html`}
              sandbox="allow-popups allow-popups-to-escape-sandbox"
            />
            <h2>{texts.plain}</h2>
            <pre class="letter">{letter.text}</pre>
          </>
        )}
      </main>
    ),
  })
}
