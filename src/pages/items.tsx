import type { Format } from './format.ts'
import type { Texts } from './texts.ts'
import type { LineItemView } from './views.ts'

interface ItemsProps {
  items: readonly LineItemView[]
  t: Texts
  format: Format
}

export const Items = ({ items, t, format }: ItemsProps) => (
  <table class="items">
    <thead class="unseen">
      <tr>
        <th scope="col">{t.items.name}</th>
        <th scope="col">{t.items.amount}</th>
      </tr>
    </thead>
    <tbody>
      {keyed(items).map(({ key, item }) => (
        <tr key={key}>
          <th scope="row">
            {item.image && <img src={item.image} alt="" width="48" height="48" loading="lazy" />}
            <span>
              {item.name}
              {item.quantity !== 1 && (
                <small>
                  {t.timesEach(format.count(item.quantity), format.amount(item.unitAmountMinor))}
                </small>
              )}
            </span>
          </th>
          <td class="money">{format.amount(item.amountMinor)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Lines can be identical but never change order, so the index is a safe key. */
const keyed = (items: readonly LineItemView[]) => items.map((item, key) => ({ key, item }))
