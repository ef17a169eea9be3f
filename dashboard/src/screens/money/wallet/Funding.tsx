import { Stack, Text } from '@mantine/core'
import { IconBuildingBank } from '@tabler/icons-react'
import { ApiError } from '../../../api/call.ts'
import { useMode } from '../../../api/history.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Failure } from '../../../ui/feedback.tsx'

/** Shows the bank account into which the business pays to fund its wallet. */
export function Funding() {
  const may = usePermission()
  const mode = useMode()
  const read = useOperation('get_funding_account')
  const opening = useAction(act('open_funding_account', { done: 'Account opened.' }))
  const account = read.data?.data
  const code = read.error instanceof ApiError ? read.error.code : undefined
  const isMissing = code === 'funding_account_not_found'
  if (read.error && !isMissing && code !== 'funding_account_unavailable') {
    return <Failure error={read.error} again={() => void read.refetch()} />
  }
  if (!account && !read.error) return null
  return (
    <Card
      title="Add money"
      actions={
        isMissing &&
        may('wallet:write') && (
          <ActionButton
            icon={IconBuildingBank}
            label="Open account"
            loading={opening.isPending}
            onClick={() => opening.mutate()}
          />
        )
      }
    >
      <Stack gap="md">
        {account ? (
          <>
            <Text size="sm" c="dimmed">
              Transfer money to this account from any bank. It arrives in the wallet within ten
              minutes.
              {mode === 'test' && ' In test mode, pay into it from the simulator.'}
            </Text>
            <Facts>
              <Fact label="Account number" copy={account.accountNumber} />
              <Fact label="Bank" value={account.bankName} />
              <Fact label="Account name" value={account.accountName} />
            </Facts>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {isMissing
              ? 'Open a bank account at your provider. Money that you transfer to it is added to the wallet.'
              : read.error?.message}
          </Text>
        )}
      </Stack>
    </Card>
  )
}
