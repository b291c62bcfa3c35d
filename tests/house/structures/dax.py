"""Clusters of DAX: where their answers and this server differ from their model."""

from typing import Final

from tests.house.structures.service import Service

DAX: Final = Service(
    module="dax",
    model="dax",
    title="DAX clusters",
    requests="""
        CreateCluster CreateParameterGroup CreateSubnetGroup DecreaseReplicationFactor
        DeleteCluster DeleteParameterGroup DeleteSubnetGroup DescribeClusters
        DescribeDefaultParameters DescribeEvents DescribeParameterGroups DescribeParameters
        DescribeSubnetGroups IncreaseReplicationFactor ListTags RebootNode TagResource
        UntagResource UpdateCluster UpdateParameterGroup UpdateSubnetGroup
        """,
    answers="""
        CreateCluster CreateParameterGroup CreateSubnetGroup DeleteParameterGroup
        DescribeClusters DescribeEvents DescribeParameterGroups DescribeParameters
        DescribeSubnetGroups TagResource
        """,
    names={
        "CreateClusterResponse": "ClusterAnswer",
        "CreateParameterGroupResponse": "ParameterGroupAnswer",
        "CreateSubnetGroupResponse": "SubnetGroupAnswer",
        "DeleteParameterGroupResponse": "DeletionAnswer",
        "DescribeParametersResponse": "ParametersAnswer",
        "TagResourceResponse": "TagsAnswer",
    },
    always={
        "Cluster": """
            ClusterName ClusterArn TotalNodes ActiveNodes NodeType Status ClusterDiscoveryEndpoint
            PreferredMaintenanceWindow SubnetGroup SecurityGroups IamRoleArn ParameterGroup
            SSEDescription ClusterEndpointEncryptionType NetworkType
            """,
        "ClusterAnswer": "Cluster",
        "DeletionAnswer": "DeletionMessage",
        "DescribeClustersAnswer": "Clusters",
        "DescribeEventsAnswer": "Events",
        "DescribeParameterGroupsAnswer": "ParameterGroups",
        "DescribeSubnetGroupsAnswer": "SubnetGroups",
        "Endpoint": "Port",
        "Event": "SourceName SourceType Message Date",
        "Node": """
            NodeId Endpoint NodeCreateTime AvailabilityZone NodeStatus ParameterGroupStatus
            """,
        "Parameter": """
            ParameterName ParameterType ParameterValue NodeTypeSpecificValues Description Source
            DataType AllowedValues IsModifiable ChangeType
            """,
        "ParameterGroup": "ParameterGroupName",
        "ParameterGroupAnswer": "ParameterGroup",
        "ParameterGroupStatus": "ParameterGroupName ParameterApplyStatus NodeIdsToReboot",
        "ParametersAnswer": "Parameters",
        "SSEDescription": "Status",
        "Subnet": "SubnetIdentifier SubnetAvailabilityZone SupportedNetworkTypes",
        "SubnetGroup": "SubnetGroupName VpcId Subnets SupportedNetworkTypes",
        "SubnetGroupAnswer": "SubnetGroup",
        "TagsAnswer": "Tags",
    },
)
