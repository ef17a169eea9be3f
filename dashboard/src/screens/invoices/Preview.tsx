import { Group, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { accentInks } from '../../../../src/pages/accent.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { dayOf, money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/invoices.ts'
import { lineAmount, totalOf, type Values } from './values.ts'

/** About what the customer will see, as it is being written. */
export function Preview({
  values,
  currency,
  from,
}: {
  values: Values
  currency: string
  from: string
}) {
  const { lineItems, note, dueDate, customerName, customerEmail } = values
  const { name, logo, style } = useLook()
  return (
    <aside aria-label={t.preview}>
      <Text size="sm" c="dimmed" mb="xs">
        {t.whatYourCustomerSees}
      </Text>
      <div className="card sheet" style={style}>
        <div className="weave" aria-hidden />
        <Stack gap="md" p="lg">
          <Group gap="sm" wrap="nowrap">
            {logo && <img src={logo.path} alt="" className="sheet-logo" />}
            <Text fw={650} className="breaks">
              {name ?? from}
            </Text>
          </Group>
          <div>
            <Text size="sm" c="dimmed">
              {t.amountDue}
            </Text>
            <Text className="amount">{money(totalOf(values), currency)}</Text>
            <Text size="sm" c="dimmed">
              {dueDate ? t.dueOn(dayOf(dueDate)) : t.noDueDate}
            </Text>
          </div>
          <div className="press" aria-hidden>
            {t.payByBankTransfer}
          </div>
          {note && (
            <Text size="sm" className="as-written">
              {note}
            </Text>
          )}
          {lineItems.length > 0 && (
            <Stack gap={6}>
              {lineItems.map((line) => (
                <Group key={line.key} justify="space-between" wrap="nowrap" align="flex-start">
                  <Text size="sm" className="breaks">
                    {line.name || '…'}
                    <Text span size="sm" c="dimmed">
                      {' '}
                      × {Number(line.quantity) || 0}
                    </Text>
                  </Text>
                  <Text size="sm" className="whole">
                    {money(lineAmount(line), currency)}
                  </Text>
                </Group>
              ))}
            </Stack>
          )}
          <Group justify="space-between" className="sum">
            <Text fw={650}>{t.total}</Text>
            <Text fw={650}>{money(totalOf(values), currency)}</Text>
          </Group>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm" c="dimmed">
              {t.billedTo}
            </Text>
            <Text size="sm" ta="right" className="breaks">
              {customerName || customerEmail || '…'}
            </Text>
          </Group>
        </Stack>
      </div>
    </aside>
  )
}

interface Branding {
  name: string | null
  accentColor: string | null
  logo: { path: string } | null
}

/** The name, logo and colour by which payers know the business. */
function useLook() {
  const may = useMay()
  const scheme = useComputedColorScheme()
  const read = useRead<Envelope<Branding>>('/console/branding', {}, may('profile:read'))
  const { name, logo, accentColor } = read.data?.data ?? {}
  const inks = accentInks(accentColor ?? undefined)?.[scheme]
  const style = inks && { '--page-accent': inks.accent, '--page-ink': inks.onAccent }
  return { name, logo, style: style as React.CSSProperties | undefined }
}
