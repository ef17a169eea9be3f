import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Subaccount } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { useNew } from '../../parts/new.ts'
import { Copyable, short } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/subaccounts.ts'
import { SubaccountForm } from './SubaccountForm.tsx'

export function Subaccounts() {
  const may = useMay()
  const go = useGo()
  const [isMaking, making] = useNew()
  const make = may('subaccounts:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={making.open}>
      {t.addASubaccount}
    </Button>
  )
  return (
    <>
      <ListPage<Subaccount>
        title={t.subaccounts}
        actions={make}
        path="transaction-service/subaccounts/all"
        query={{ sort: 'desc', sortKey: 'createdAt' }}
        search="searchString"
        columns={[
          { label: t.name, cell: ({ business_name }) => business_name },
          STATUS,
          { label: t.bankAccount, cell: (one) => <Account of={one} />, onPhone: 'below' },
          {
            label: t.code,
            cell: ({ subaccount_code: code }) => <Copyable text={code} shown={short(code)} />,
          },
          {
            label: t.youKeep,
            cell: ({ percentage_charge }) => `${percentage_charge}%`,
            align: 'right',
          },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ subaccount_code }) => `subaccounts/${subaccount_code}`}
        empty={{
          title: t.noSubaccountsYet,
          text: t.aSubaccountIsSomebodyYou,
          ...(make && { action: make }),
        }}
      />
      <SubaccountForm
        opened={isMaking}
        onClose={making.close}
        onDone={(code) => go(`subaccounts/${code}`)}
      />
    </>
  )
}

function Account({ of }: { of: Subaccount }) {
  return (
    <Stack gap={0}>
      <span>{of.account_name ?? t.holderNotKnown}</span>
      <Text span size="xs" c="dimmed">
        {of.bankName ?? t.noBankYet} · {of.account_number}
      </Text>
    </Stack>
  )
}
