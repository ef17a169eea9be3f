import { Group, NumberInput, Text, TextInput } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { t } from '../../texts/settings.ts'
import { SETTINGS } from './Business.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

/** How the invoices of this mode are numbered from now on. */
export function InvoiceNumbers({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  const { invoicePrefix, nextInvoiceNumber } = rules
  return (
    <SettingForm<{ invoicePrefix: string; nextInvoiceNumber: number | string }>
      id="invoice-numbers"
      title={t.invoiceNumbers}
      about={t.aboutInvoiceNumbers}
      values={{ invoicePrefix, nextInvoiceNumber }}
      action={{
        path: SETTINGS,
        method: 'PUT',
        send: (values): UpdateProfileSettingsInput => ({
          ...(values.invoicePrefix !== invoicePrefix && {
            invoicePrefix: values.invoicePrefix.trim(),
          }),
          ...(values.nextInvoiceNumber !== nextInvoiceNumber && {
            nextInvoiceNumber: Number(values.nextInvoiceNumber),
          }),
        }),
        done: t.invoiceNumbersSaved,
      }}
      mayWrite={mayWrite}
      validate={{
        invoicePrefix: (prefix: string) => (prefix.trim() ? null : t.enterAPrefix),
        nextInvoiceNumber: (next: number | string) =>
          Number(next) >= nextInvoiceNumber ? null : t.nextNumberAtLeast(nextInvoiceNumber),
      }}
    >
      {(form) => (
        <>
          <Group align="flex-start" gap="md">
            <TextInput
              label={t.invoicePrefix}
              maxLength={16}
              {...form.getInputProps('invoicePrefix')}
            />
            <NumberInput
              label={t.nextInvoiceNumber}
              min={1}
              max={999_999_999}
              allowDecimal={false}
              {...form.getInputProps('nextInvoiceNumber')}
            />
          </Group>
          <Text size="sm" c="dimmed">
            {t.nextInvoiceIs(
              form.values.invoicePrefix + String(form.values.nextInvoiceNumber).padStart(6, '0'),
            )}
          </Text>
        </>
      )}
    </SettingForm>
  )
}
