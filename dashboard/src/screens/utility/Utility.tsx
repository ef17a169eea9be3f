import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconBolt, IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, Money, short, When, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo, useHref } from '../../shell/where.ts'
import type { Bill } from './types.ts'

/** As each began, which is told as an event: the API lists no payments of bills. */
interface Begun {
  id: string
  data: Bill
}

export function Utility() {
  const may = useMay()
  const href = useHref()
  const pay = may('utility:write') && (
    <Button component={Link} to={href('utility/new')} leftSection={<IconBolt size={16} />}>
      Pay a bill
    </Button>
  )
  return (
    <ListPage<Begun>
      title="Bills and airtime"
      actions={pay}
      path="user-service/events"
      query={{ type: 'utility.pending' }}
      filters={[
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        {
          label: 'Amount',
          cell: ({ data }) => <Money amount={data.amount} currency={data.currency} />,
        },
        { label: 'What', cell: ({ data }) => <What of={data} />, onPhone: 'below' },
        { label: 'For', cell: ({ data }) => <Customer of={data} /> },
        {
          label: 'Reference',
          cell: ({ data: { paymentReference: its } }) => <Copyable text={its} shown={short(its)} />,
        },
        {
          label: 'When',
          cell: ({ data }) => <When at={data.createdAt} />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ data }) => `utility/${data.reference}`}
      empty={{
        title: 'No bills paid yet',
        text: 'Buy airtime, data, electricity, television and exam pins from the wallet. Tokens and pins are kept here.',
        ...(pay && { action: pay }),
      }}
    >
      <LookUp />
    </ListPage>
  )
}

function What({ of }: { of: Bill }) {
  return (
    <Stack gap={0}>
      <span>{of.packageName}</span>
      <Text span size="xs" c="dimmed">
        {words(of.category)}
      </Text>
    </Stack>
  )
}

function Customer({ of }: { of: Bill }) {
  return (
    <Stack gap={0}>
      <span>{of.customerName}</span>
      <Text span size="xs" c="dimmed">
        {of.customerId}
      </Text>
    </Stack>
  )
}

/** Leads to a payment by a reference of either side. */
function LookUp() {
  const go = useGo()
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) go(`utility/${encodeURIComponent(text.trim())}`)
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Look up a payment"
          placeholder="Its reference, yours or ours"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: '1 1 14rem' }}
          maw={360}
        />
        <Button type="submit" variant="default" leftSection={<IconSearch size={16} />}>
          Look up
        </Button>
      </Group>
    </form>
  )
}
