import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { useNew } from '../../parts/new.ts'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/splits.ts'
import { SplitForm } from './SplitForm.tsx'
import { shareOf } from './shares.ts'

export function Splits() {
  const may = useMay()
  const go = useGo()
  const [isMaking, making] = useNew()
  const make = may('split_pages:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={making.open}>
      {t.newSplitPage}
    </Button>
  )
  return (
    <>
      <ListPage<SplitPage>
        title={t.splitPages}
        actions={make}
        path="transaction-service/split-page/all"
        query={{ sort: 'desc' }}
        search="searchString"
        filters={[
          {
            kind: 'choice',
            name: 'status',
            label: t.status,
            options: [
              { value: 'true', label: t.active },
              { value: 'false', label: t.inactive },
            ],
          },
          {
            kind: 'choice',
            name: 'splitType',
            label: t.shares,
            options: [
              { value: 'percentage', label: t.inPercent },
              { value: 'fixed', label: t.fixedAmounts },
            ],
          },
        ]}
        columns={[
          { label: t.name, cell: ({ name }) => name },
          {
            label: t.status,
            cell: ({ status }) => <Status of={status ? 'Active' : 'Inactive'} />,
            onPhone: true,
          },
          { label: t.shared, cell: (page) => summaryOf(page), onPhone: 'below' },
          { label: t.link, cell: ({ url, slug }) => <Copyable text={url} shown={cut(slug)} /> },
          { label: t.created, cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `splits/${id}`}
        empty={{
          title: t.noSplitPagesYet,
          text: t.aPaymentOnASplit,
          ...(make && { action: make }),
        }}
      />
      <SplitForm opened={isMaking} onClose={making.close} onDone={(id) => go(`splits/${id}`)} />
    </>
  )
}

/** As much of a link as tells it from others. */
const SLUG_SHOWN = 24
const cut = (slug: string) => (slug.length > SLUG_SHOWN ? `${slug.slice(0, SLUG_SHOWN)}…` : slug)

function summaryOf(page: SplitPage): string {
  const { length } = page.subaccounts
  if (length === 0) return t.withNobodyYet
  return `${shareOf(page, page.totalShare)} with ${length === 1 ? 'one subaccount' : `${length} subaccounts`}`
}
