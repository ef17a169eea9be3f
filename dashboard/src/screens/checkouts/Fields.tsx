import { Checkbox, Group, Select, SimpleGrid, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Bank, SplitPage, Subaccount } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { channelName } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/checkout.ts'
import type { Values } from './values.ts'

interface FieldsProps {
  form: UseFormReturnType<Values>
}

const CHANNELS = ['BANK_TRANSFER', 'USSD']
const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

export function LinkFields({ form }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t.email}
        type="email"
        maxLength={254}
        required
        {...form.getInputProps('customerEmail')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={t.name} maxLength={200} {...form.getInputProps('customerName')} />
        <TextInput label={t.phone} type="tel" {...form.getInputProps('customerPhone')} />
        <Select
          label={t.minutes}
          data={choices(t.spans)}
          allowDeselect={false}
          {...form.getInputProps('minutes')}
        />
        <Select
          label={t.bearer}
          data={choices(t.bearers)}
          allowDeselect={false}
          {...form.getInputProps('feeBearer')}
        />
      </SimpleGrid>
      <Checkbox.Group label={t.channels} {...form.getInputProps('channels')}>
        <Group mt={6}>
          {CHANNELS.map((channel) => (
            <Checkbox key={channel} value={channel} label={channelName(channel)} />
          ))}
        </Group>
      </Checkbox.Group>
      <Share form={form} withSubaccounts />
      <TextInput
        label={t.reference}
        description={t.referenceHint}
        maxLength={64}
        {...form.getInputProps('reference')}
      />
      <TextInput
        label={t.back}
        description={t.backHint}
        type="url"
        {...form.getInputProps('callbackUrl')}
      />
    </>
  )
}

export function UssdFields({ form }: FieldsProps) {
  const { data } = useRead<Envelope<Bank[]>>('transaction-service/bank')
  const banks = (data?.data ?? []).filter(({ active, supportsUssd }) => active && supportsUssd)
  return (
    <>
      <Select
        label={t.bank}
        description={t.bankHint}
        data={banks.map(({ code, name }) => ({ value: code, label: name }))}
        searchable
        clearable
        {...form.getInputProps('bankCode')}
      />
      <Share form={form} />
      <TextInput
        label={t.message}
        description={t.messageHint}
        maxLength={500}
        {...form.getInputProps('message')}
      />
    </>
  )
}

/** As many as a field can show to be chosen from. */
const LISTED_MAX = 100

/** Who else gets something of it. */
function Share({ form, withSubaccounts = false }: FieldsProps & { withSubaccounts?: boolean }) {
  const may = useMay()
  const pages = useRead<Envelope<SplitPage[]>>(
    'transaction-service/split-page/all',
    { page: 1, limit: LISTED_MAX, sort: 'desc', status: true },
    may('split_pages:read'),
  )
  const all = useRead<Envelope<Subaccount[]>>(
    'transaction-service/subaccounts/all',
    { page: 1, limit: LISTED_MAX, sort: 'asc', sortKey: 'business_name' },
    withSubaccounts && may('subaccounts:read'),
  )
  const splits = pages.data?.data ?? []
  const subaccounts = (all.data?.data ?? []).filter(({ status }) => status === 'Active')
  if (!may('split_pages:read') && !(withSubaccounts && may('subaccounts:read'))) return null
  const isNobody = splits.length + subaccounts.length === 0
  const groups = [
    {
      group: t.splitPages,
      items: splits.map(({ id, name }) => ({ value: `split ${id}`, label: name })),
    },
    {
      group: t.subaccounts,
      items: subaccounts.map(({ subaccount_code: code, business_name: name }) => ({
        value: `subaccount ${code}`,
        label: name,
      })),
    },
  ]
  return (
    <Select
      label={t.share}
      description={t.shareHint}
      placeholder={isNobody ? t.shareNobody : undefined}
      disabled={isNobody}
      data={groups.filter(({ items }) => items.length > 0)}
      searchable
      clearable
      {...form.getInputProps('share')}
    />
  )
}
