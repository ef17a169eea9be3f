import { Alert, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconExternalLink, IconPencil } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Sharing } from '../../parts/Sharing.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/splits.ts'
import { Shares } from './Shares.tsx'
import { SplitForm } from './SplitForm.tsx'

const BEARERS: Record<string, string> = {
  business: 'You',
  customer: t.thePayer,
  subaccounts: t.theSubaccounts,
}

export function Split() {
  const { id } = useParams({ strict: false }) as { id: string }
  const may = useMay()
  const [isEditing, editing] = useDisclosure(false)
  const read = useRead<Envelope<SplitPage>>(`transaction-service/split-page/${id}`)
  const page = read.data?.data
  const mayWrite = may('split_pages:write')
  return (
    <DetailPage
      back={{ to: 'splits', label: t.splitPages }}
      title={page?.name}
      status={page && <Status of={page.status ? 'Active' : 'Inactive'} />}
      read={read}
      actions={
        page && (
          <>
            <Button
              component="a"
              href={page.url}
              target="_blank"
              rel="noopener noreferrer"
              variant="default"
              leftSection={<IconExternalLink size={16} />}
            >
              {t.openThePage}
            </Button>
            {mayWrite && (
              <Button leftSection={<IconPencil size={16} />} onClick={editing.open}>
                {t.change}
              </Button>
            )}
          </>
        )
      }
    >
      {page && (
        <>
          {!page.status && (
            <Alert color="yellow" title={t.thePageIsInactive}>
              {t.payersAreToldThatIt}
            </Alert>
          )}
          <Stack gap="lg">
            <Card title={t.splitPage}>
              <Facts
                of={{
                  [t.link]: <Copyable text={page.url} />,
                  [t.shares]: page.splitType === 'fixed' ? t.fixedAmounts : t.inPercent,
                  [t.feePaidBy]: page.feeBearer ? BEARERS[page.feeBearer] : t.asYourSettingsSay,
                  [t.currency]: page.currency,
                  [t.id]: <Copyable text={String(page.id)} />,
                  [t.reference]: <Copyable text={page.reference} />,
                  [t.created]: <When at={page.createdAt} />,
                }}
              />
            </Card>
            <Shares of={page} mayWrite={mayWrite} />
            {page.status && (
              <Sharing link={page.url} title={page.name} text={t.whoeverHasThisLinkCan} />
            )}
          </Stack>
          <SplitForm of={page} opened={isEditing} onClose={editing.close} />
        </>
      )}
    </DetailPage>
  )
}
