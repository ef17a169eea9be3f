import { Autocomplete, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/invoices.ts'
import type { CustomerLine } from '../customers/types.ts'
import type { PartProps } from './InvoiceForm.tsx'

const SUGGESTED = 6

/** The address of the customer. Those who are known by a part of it, or by name, are suggested. */
export function CustomerInput({ form, isDraft }: PartProps) {
  const { customerEmail } = form.values
  const [asked] = useDebouncedValue(customerEmail.trim(), 200)
  const isOffered = useMay()('transactions:read') && isDraft && asked.length > 1
  const { data } = useRead<Envelope<CustomerLine[]>>(
    '/console/customers',
    { search: asked, limit: SUGGESTED },
    isOffered,
  )
  const known = isOffered ? (data?.data ?? []) : []
  const pick = (email: string) => {
    const { name, phone } = known.find((one) => one.email === email) ?? {}
    if (name) form.setFieldValue('customerName', name)
    if (phone) form.setFieldValue('customerPhone', phone)
  }
  return (
    <Autocomplete
      label={t.eMailAddress}
      description={t.theInvoiceGoesThere}
      placeholder={t.search}
      type="email"
      autoComplete="off"
      required
      disabled={!isDraft}
      autoFocus={isDraft}
      data={known.map(({ email }) => email)}
      // They were found by name, too, which is no part of the address.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{known.find(({ email }) => email === option.value)?.name}</Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </div>
      )}
      onOptionSubmit={pick}
      {...form.getInputProps('customerEmail')}
    />
  )
}
