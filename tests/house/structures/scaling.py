"""Application Auto Scaling: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

_XML: Final = r"[ -\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF\r\n\t]*"
"""Java's pairs of surrogates are the characters above U+FFFF."""
_IN_NAME: Final = r"^\u0000-\u001f\u007f-\u009f:/|"
_ARN: Final = r"arn:.+:application-autoscaling:.+:[0-9]+:scalable-target\/[a-zA-Z0-9-]+"

_OPERATIONS: Final = """
    DeleteScalingPolicy DeleteScheduledAction DeregisterScalableTarget DescribeScalableTargets
    DescribeScalingActivities DescribeScalingPolicies DescribeScheduledActions ListTagsForResource
    PutScalingPolicy PutScheduledAction RegisterScalableTarget TagResource UntagResource
    """

SCALING: Final = Service(
    module="scaling",
    model="application-autoscaling",
    title="Application Auto Scaling",
    requests=_OPERATIONS,
    answers="""
        DescribeScalableTargets DescribeScalingActivities DescribeScalingPolicies
        DescribeScheduledActions ListTagsForResource PutScalingPolicy RegisterScalableTarget
        """,
    # Of configurations of other types only their presence is read; custom metrics are not.
    members={
        "CustomizedMetricSpecification": "MetricName",
        "PutScalingPolicy": """
            PolicyName ServiceNamespace ResourceId ScalableDimension PolicyType
            StepScalingPolicyConfiguration TargetTrackingScalingPolicyConfiguration
            PredictiveScalingPolicyConfiguration
            """,
        "PredictiveScalingPolicyConfiguration": "Mode",
        "StepScalingPolicyConfiguration": "AdjustmentType",
        "ScalableTarget": """
            ServiceNamespace ResourceId ScalableDimension MinCapacity MaxCapacity RoleARN
            CreationTime SuspendedState ScalableTargetARN
            """,
        "ScalingActivity": """
            ActivityId ServiceNamespace ResourceId ScalableDimension Description Cause StartTime
            EndTime StatusCode StatusMessage NotScaledReasons
            """,
        "ScalingPolicy": """
            PolicyARN PolicyName ServiceNamespace ResourceId ScalableDimension PolicyType
            TargetTrackingScalingPolicyConfiguration Alarms CreationTime
            """,
    },
    always={
        "DescribeScalableTargetsAnswer": "ScalableTargets",
        "DescribeScalingActivitiesAnswer": "ScalingActivities",
        "DescribeScalingPoliciesAnswer": "ScalingPolicies",
        "DescribeScheduledActionsAnswer": "ScheduledActions",
        "ListTagsForResourceAnswer": "Tags",
        "PutScalingPolicyAnswer": "Alarms",
        "RegisterScalableTargetAnswer": "ScalableTargetARN",
        "ScalableTarget": "SuspendedState ScalableTargetARN",
        "ScalingPolicy": "TargetTrackingScalingPolicyConfiguration Alarms",
        "ScheduledAction": "ScalableTargetAction",
    },
    checked_operations=_OPERATIONS,
    elements=(
        "DescribeScalableTargets.ResourceIds",
        "DescribeScalingPolicies.PolicyNames",
        "DescribeScheduledActions.ScheduledActionNames",
    ),
    together=("UntagResource.TagKeys",),
    # Namespaces, dimensions and metrics of other services are refused in other words. The service
    # prints the pattern of ARNs without its anchors, and limits pages and tags by its reference.
    bounds={
        "AmazonResourceName": {"pattern": _ARN},
        "MaxResults": {"min": 1, "max": 50},
        "MetricType": {"enum": None},
        "PolicyType": {"enum": ["PredictiveScaling", "StepScaling", "TargetTrackingScaling"]},
        "RegisterScalableTarget.Tags": {"max": 50},
        "ScalableDimension": {"enum": None},
        "ServiceNamespace": {"enum": None},
    },
    own_enums=True,
    linear={
        "AmazonResourceName": (
            r"(?>arn:.+?:application-autoscaling:).+:[0-9]+:scalable-target\/[a-zA-Z0-9-]+"
        ),
        "PolicyName": r"[ -~]+",
        "ResourceIdMaxLen1600": _XML,
        # Without controls and separators, and without spaces at its ends.
        "ScheduledActionName": rf"[{_IN_NAME} ](?:[{_IN_NAME}]*[{_IN_NAME} ])?",
        "XmlString": _XML,
    },
)
