import { Icon, noTranslate, PostForm } from './components.tsx'
import { formatOf, safeUrl } from './format.ts'
import { Footer, Letterhead, renderDocument } from './layout.tsx'
import { printLocaleOf, textsOf } from './texts.ts'
import type { CardPageView, PageContext } from './views.ts'

/** Renders the page that stands in for a provider's page in test mode. */
export function renderCardPage(view: CardPageView, ctx: PageContext): string {
  const t = textsOf(ctx.locale)
  const { card } = t.test
  const { merchant, amountMinor, currency, timeZone, path, isOver } = view
  const amount = formatOf(currency, printLocaleOf(ctx.locale), timeZone).amount(amountMinor)
  return renderDocument({
    ctx,
    t,
    title: `${card.heading} · ${merchant.name}`,
    test: true,
    color: merchant.color,
    children: (
      <>
        <Letterhead merchant={merchant} about={card.heading} skip={t.skip} />
        <main id="page">
          <section class="summary">
            <h1 id="amount" tabIndex={-1}>
              <span class="label">{t.amountDue}</span>
              <span class="amount" {...noTranslate}>
                {amount}
              </span>
            </h1>
          </section>
          <div class="panel" id="pay">
            <section class="card hosted" aria-labelledby="way">
              <h2 id="way">{isOver ? card.over : card.heading}</h2>
              {isOver ? (
                <a class="button wide" id="leave" href={safeUrl(view.returnUrl) ?? ''}>
                  {t.back}
                </a>
              ) : (
                <PostForm action={path} class="hosted">
                  <p class="soft">{card.text}</p>
                  <Choice value="pay" isFirst>
                    {card.pay(amount)}
                  </Choice>
                  <Choice value="decline">{card.decline}</Choice>
                  <Choice value="slow">{card.slow}</Choice>
                  <Choice value="leave">{card.leave}</Choice>
                </PostForm>
              )}
            </section>
          </div>
        </main>
        <Footer t={t} merchant={merchant} />
      </>
    ),
  })
}

interface ChoiceProps {
  value: string
  isFirst?: boolean
  children: string
}

const Choice = ({ value, isFirst = false, children }: ChoiceProps) => (
  <button
    type="submit"
    id={value}
    name="choice"
    value={value}
    class={isFirst ? 'button wide' : 'button wide quiet'}
  >
    {isFirst && <Icon name="card" />}
    {children}
  </button>
)
