import { ActionIcon, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { t } from '../../texts/splits.ts'
import { ShareForm } from './ShareForm.tsx'
import { shareOf } from './shares.ts'

type Share = SplitPage['subaccounts'][number]

/** Who gets what of a payment; the rest is the business's own. */
export function Shares({ of: page, mayWrite }: { of: SplitPage; mayWrite: boolean }) {
  const [isAdding, adding] = useDisclosure(false)
  const removal = useAction<unknown, Share>({
    path: `transaction-service/split-page/${page.id}/subaccount/remove`,
    send: ({ subaccount }) => ({ sub_account_id: subaccount }),
    done: t.theSubaccountGetsNoShare,
    undo: ({ subaccount, share, business_name: name }) => ({
      path: `transaction-service/split-page/${page.id}/subaccount/add`,
      body: { sub_account_id: subaccount, shere: share },
      says: t.hasItsShareAgain(name),
    }),
  })
  const remove = (share: Share) =>
    confirm({
      title: t.takeOffThisPage(share.business_name),
      text: t.itGetsOfEachPayment(shareOf(page, share.share)),
      verb: t.remove,
      isDangerous: true,
      canUndo: true,
      go: () => removal.mutate(share),
    })
  return (
    <Card
      title={t.shares}
      actions={
        mayWrite && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={adding.open}>
            {t.addASubaccount}
          </Button>
        )
      }
    >
      {page.subaccounts.length === 0 ? (
        <Text c="dimmed">{t.nobodyYetEverythingPaidHere}</Text>
      ) : (
        <Stack gap="xs">
          <Table aria-label={t.shares}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.subaccount}</Table.Th>
                <Table.Th ta="right">{t.share}</Table.Th>
                {mayWrite && <Table.Th w={48} aria-label={t.remove} />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {page.subaccounts.map((share) => (
                <Table.Tr key={share.subaccount}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <ScreenLink to={`subaccounts/${share.subaccount}`}>
                      {share.business_name}
                    </ScreenLink>
                  </Table.Td>
                  <Table.Td ta="right">{shareOf(page, share.share)}</Table.Td>
                  {mayWrite && (
                    <Table.Td>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        onClick={() => remove(share)}
                        aria-label={t.removeOf(share.business_name)}
                      >
                        <IconTrash size={16} />
                      </ActionIcon>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <Rest of={page} />
        </Stack>
      )}
      <ShareForm of={page} opened={isAdding} onClose={adding.close} />
    </Card>
  )
}

function Rest({ of: page }: { of: SplitPage }) {
  const { splitType, totalShare } = page
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {splitType === 'fixed'
          ? t.youGetWhateverIsPaid(shareOf(page, totalShare))
          : t.youGetTheOther(shareOf(page, 100 - totalShare))}
      </Text>
    </Group>
  )
}
