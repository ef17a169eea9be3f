import type { IconName } from './components.tsx'
import { Icon, noTranslate } from './components.tsx'
import { siteOf } from './format.ts'
import { Footer, Letterhead, renderDocument } from './layout.tsx'
import { textsOf } from './texts.ts'
import type { MessageView, PageContext } from './views.ts'

/** Renders a page with a single message: what happened and what to do next. */
export function renderMessagePage(view: MessageView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  const { merchant } = view
  return renderDocument({
    ctx,
    t,
    title: merchant ? `${view.title} · ${merchant.name}` : view.title,
    test: view.test ?? false,
    color: view.color ?? merchant?.color,
    children: (
      <>
        {merchant && (
          <Letterhead
            merchant={merchant}
            about={merchant.website && siteOf(merchant.website)}
            skip={t.skip}
          />
        )}
        <main id="page" class="message">
          <div class="card" id="pay">
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
                {t.requestId} <code {...noTranslate}>{view.requestId}</code>
              </p>
            )}
          </div>
          {!merchant && <p class="fine by">{t.poweredBy}</p>}
        </main>
        {merchant && <Footer t={t} merchant={merchant} />}
      </>
    ),
  })
}

function iconOf(status: number): IconName {
  if (status >= 500) return 'alert'
  return status === 410 || status === 429 ? 'clock' : 'lost'
}
