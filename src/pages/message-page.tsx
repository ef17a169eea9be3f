import { asIs } from './components.tsx'
import type { IconName } from './icons.tsx'
import { Icon } from './icons.tsx'
import { renderDocument } from './layout.tsx'
import { textsOf } from './texts.ts'
import type { MessageView, PageContext } from './views.ts'

/** A page that says one thing: what happened, and what to do now. */
export function renderMessagePage(view: MessageView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  return renderDocument({
    ctx,
    t,
    title: view.title,
    children: (
      <main id="page" class="message">
        <div class="card">
          <p class={view.status < 500 ? 'seal plain' : 'seal bad'}>
            <Icon name={view.icon ?? iconOf(view.status)} />
            <span class="unseen">{view.status}</span>
          </p>
          <h1>{view.title}</h1>
          <p class="soft">{view.text}</p>
          {view.back && (
            <a class="button wide" href={view.back}>
              {t.back}
            </a>
          )}
          {view.requestId && (
            <p class="fine quote">
              {t.requestId} <code {...asIs}>{view.requestId}</code>
            </p>
          )}
        </div>
        <p class="fine by">{t.poweredBy}</p>
      </main>
    ),
  })
}

function iconOf(status: number): IconName {
  if (status >= 500) return 'alert'
  return status === 410 || status === 429 ? 'clock' : 'lost'
}
