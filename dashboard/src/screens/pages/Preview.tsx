import { Group, Stack, Text } from '@mantine/core'
import type { Product } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { money, pictureAt } from '../../parts/values.tsx'
import { Thumb } from '../products/parts.tsx'
import type { Values } from './values.ts'

/** About what payers will see, as it is being made. */
export function Preview({
  values,
  currency,
  from,
}: {
  values: Values
  currency: string
  from: string
}) {
  const { title, description, amountType, amount, suggestedAmounts, customFields } = values
  const price = Number(amount) || 0
  const picture = pictureAt(values.image)
  const asked = [
    'E-mail address',
    ...(values.collectPhone ? ['Phone number'] : []),
    ...(values.collectAddress ? ['Address'] : []),
    ...customFields.map(({ label, required }) => `${label || '…'}${required ? ' *' : ''}`),
    ...(values.allowDiscountCodes ? ['Discount code'] : []),
  ]
  return (
    <aside aria-label="Preview">
      <Text size="sm" c="dimmed" mb="xs">
        What payers see
      </Text>
      <div className="card sheet" style={accentOf(values.color)}>
        <div className="weave" aria-hidden />
        <Stack gap="md" p="lg">
          <Text size="sm" c="dimmed">
            {from}
          </Text>
          {picture && <img src={picture} alt="" className="sheet-picture" />}
          <Text className="amount breaks">{title || 'Title'}</Text>
          {description && (
            <Text size="sm" className="as-written">
              {description}
            </Text>
          )}
          {amountType === 'products' ? (
            <Goods ids={values.productIds} />
          ) : (
            <Text fw={650}>
              {amountType === 'fixed'
                ? money(price, currency)
                : amountType === 'minimum'
                  ? `${money(price, currency)} or more`
                  : 'Any amount'}
            </Text>
          )}
          {suggestedAmounts.length > 0 && ['minimum', 'variable'].includes(amountType) && (
            <Group gap="xs">
              {suggestedAmounts.map((one) => (
                <span key={one} className="chip">
                  {money(Number(one) || 0, currency)}
                </span>
              ))}
            </Group>
          )}
          {asked.map((label, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be called alike
            <div key={i}>
              <Text size="sm" className="breaks">
                {label}
              </Text>
              <div className="blank" />
            </div>
          ))}
          <div className="press" aria-hidden>
            {amountType === 'fixed' && price > 0 ? `Pay ${money(price, currency)}` : 'Pay'}
          </div>
        </Stack>
      </div>
    </aside>
  )
}

function Goods({ ids }: { ids: string[] }) {
  const { data } = useRead<Envelope<Product[]>>('payment-service/products/get-products', {
    limit: 100,
  })
  const goods = data?.data.filter(({ productId }) => ids.includes(productId)) ?? []
  return (
    <Stack gap="xs">
      {goods.map(({ productId, name, price, currency, media: [picture] }) => (
        <Group key={productId} wrap="nowrap" gap="sm">
          <Thumb of={picture} />
          <Text size="sm" className="breaks" style={{ flex: 1 }}>
            {name}
          </Text>
          <Text size="sm" fw={600}>
            {money(price, currency)}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

/** The colour of the button, and black or white upon it, whichever is read more easily. */
function accentOf(color: string): React.CSSProperties {
  const [r, g, b] =
    /^#(..)(..)(..)$/
      .exec(color)
      ?.slice(1)
      .map((hex) => Number.parseInt(hex, 16)) ?? []
  if (r === undefined || g === undefined || b === undefined) return {}
  const isLight = (r * 299 + g * 587 + b * 114) / 1000 > 140
  return { '--page-accent': color, '--page-ink': isLight ? '#000' : '#fff' } as React.CSSProperties
}
