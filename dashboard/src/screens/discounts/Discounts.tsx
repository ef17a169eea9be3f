import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconPlus, IconTag } from '@tabler/icons-react'
import { useState } from 'react'
import type { DiscountCode } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { useDayOf } from '../../parts/days.ts'
import { dayOf } from '../../parts/days-typed.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { useNew } from '../../parts/new.ts'
import { Copyable, money, Status } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t as own } from '../../texts/discounts.ts'
import { t } from '../../texts/en.ts'
import { DiscountForm } from './DiscountForm.tsx'
import { TryCode } from './TryCode.tsx'

const PATH = 'payment-service/products'

const other = (status: string) => (status === 'Active' ? 'Inactive' : 'Active')
const SAYS = {
  Active: (code: string) => own.canBeUsed(code),
  Inactive: (code: string) => own.canNoLongerBeUsed(code),
}

export function Discounts() {
  const writes = useMay()('discounts:write')
  const [isCreating, creating] = useNew()
  const [isTrying, trying] = useDisclosure(false)
  const [edited, edit] = useState<DiscountCode>()
  const lastDay = useDayOf()
  const operation = { path: `${PATH}/update-discount-code-details`, method: 'PUT' } as const
  const shownAs = ({ id }: DiscountCode, status: string) => ({
    in: `${PATH}/get-discount-codes`,
    is: (row: DiscountCode) => row.id === id,
    as: { status },
  })
  const setStatus = useAction<unknown, DiscountCode>({
    ...operation,
    send: ({ id, status }) => ({ discountId: id, status: other(status) }),
    shown: (code) => shownAs(code, other(code.status)),
    done: ({ code, status }) => SAYS[other(status)](code),
    undo: (code) => ({
      ...operation,
      body: { discountId: code.id, status: code.status },
      shown: shownAs(code, code.status),
      says: SAYS[other(other(code.status))](code.code),
    }),
  })
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      {own.newCode}
    </Button>
  )
  const menuOf = (code: DiscountCode) => (
    <MoreMenu
      choices={[
        {
          label: own.edit,
          icon: <IconPencil size={16} />,
          may: writes,
          go: () => edit(code),
        },
        {
          label: code.status === 'Active' ? own.stopIt : own.letItBeUsedAgain,
          icon:
            code.status === 'Active' ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />,
          may: writes,
          go: () => setStatus.mutate(code),
        },
      ]}
    />
  )
  return (
    <>
      <ListPage<DiscountCode>
        title={own.discounts}
        path={`${PATH}/get-discount-codes`}
        search="code"
        searchFor={own.theWholeCode}
        actions={
          <>
            <Button variant="default" leftSection={<IconTag size={16} />} onClick={trying.open}>
              {own.tryIt}
            </Button>
            {create}
          </>
        }
        columns={[
          { label: own.code, cell: ({ code }) => <Copyable text={code} /> },
          { label: own.comesOff, cell: (code) => discountOf(code), onPhone: 'below' },
          { label: own.whatFor, cell: ({ productIds }) => whatFor(productIds) },
          { label: own.used, cell: (code) => usesOf(code), onPhone: 'below' },
          {
            label: own.lastDay,
            cell: ({ endsAt }) => (endsAt ? dayOf(lastDay(endsAt, true)) : own.noLastDay),
          },
          { label: own.status, cell: (code) => <Status of={stateOf(code)} />, onPhone: true },
          ...(writes
            ? [{ label: t.action.actions, cell: menuOf, align: 'right' as const, onPhone: true }]
            : []),
        ]}
        keyOf={({ id }) => id}
        empty={{
          title: own.noDiscountCodesYet,
          text: own.buyersTypeACodeTo,
          action: create,
        }}
      />
      <TryCode opened={isTrying} onClose={trying.close} />
      <DiscountForm opened={isCreating} onClose={creating.close} />
      {edited && <DiscountForm code={edited} opened onClose={() => edit(undefined)} />}
    </>
  )
}

function discountOf({ type, value, currency, maxDiscount, minSpend }: DiscountCode) {
  const limits = [
    maxDiscount !== null && `at most ${money(maxDiscount, currency)}`,
    minSpend !== null && minSpend > 0 && `from ${money(minSpend, currency)} on`,
  ].filter(Boolean)
  return (
    <>
      {type === 'percentage' ? `${value}%` : money(value, currency)}
      {limits.length > 0 && (
        <Text size="xs" c="dimmed">
          {limits.join(', ')}
        </Text>
      )}
    </>
  )
}

const whatFor = (ids: string[]): string =>
  ids.length === 0 ? 'Everything' : ids.length === 1 ? '1 product' : `${ids.length} products`

const usesOf = ({ usedCount, reservedCount, maxUses }: DiscountCode): string =>
  [
    `${usedCount}${maxUses === null ? '' : ` of ${maxUses}`} used`,
    reservedCount > 0 && `${reservedCount} put aside`,
  ]
    .filter(Boolean)
    .join(', ')

/** What became of an active one by itself: its time is over, or it was used up. */
function stateOf({ status, endsAt, startsAt, usedCount, maxUses }: DiscountCode): string {
  if (status !== 'Active') return status
  if (endsAt && Date.parse(endsAt) <= Date.now()) return 'Expired'
  if (maxUses !== null && usedCount >= maxUses) return 'UsedUp'
  if (startsAt && Date.parse(startsAt) > Date.now()) return 'NotStarted'
  return status
}
