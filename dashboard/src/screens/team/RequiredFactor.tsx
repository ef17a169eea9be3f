import { Anchor, Badge, Button, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useAction, useMe } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { useHref } from '../../shell/where.ts'
import { t } from '../../texts/team.ts'

const words = t.required

/** Whether a password alone lets nobody into the business; owners decide it. */
export function RequiredFactor({
  isRequired,
  isOwner,
  missing,
}: {
  isRequired: boolean
  isOwner: boolean
  /** How many members have none. */
  missing: number
}) {
  const { data: me } = useMe()
  const href = useHref()
  const change = useAction<unknown, { required: boolean }>({
    path: '/console/team/two-factor',
    done: isRequired ? words.released : words.required,
  })
  const ask = () =>
    confirm({
      title: isRequired ? words.releaseTitle : words.requireTitle,
      text: isRequired ? words.releaseText : words.requireText,
      verb: isRequired ? words.release : words.require,
      isDangerous: isRequired,
      go: () => change.mutate({ required: !isRequired }),
    })
  const mayRequire = isRequired || me?.person.secondFactor
  return (
    <Card
      title={words.title}
      actions={
        <Badge className={isRequired ? 'state-green' : 'state-gray'} variant="light" tt="none">
          {isRequired ? words.on : words.off}
        </Badge>
      }
    >
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          {isRequired ? words.textOn : words.textOff} {missing > 0 && words.missing(missing)}
        </Text>
        {isOwner && mayRequire && (
          <Button variant="default" loading={change.isPending} onClick={ask}>
            {isRequired ? words.release : words.require}
          </Button>
        )}
        {isOwner && !mayRequire && (
          <Text size="sm">
            {words.own}{' '}
            <Anchor component={Link} to={href('security')} underline="always" inherit>
              {words.security}
            </Anchor>
          </Text>
        )}
      </Stack>
    </Card>
  )
}
