"""Message, service and action definitions the simulator speaks, as data.

One line per type, fields in wire order. A service is ``request -> response``,
an action ``goal -> result -> feedback``. A field with ``!`` must be given. The dialect
of ROS 2 differs in the few lines named ``*_ROS2``.
"""

MESSAGES = """
std_msgs/Bool: bool data
std_msgs/Byte: byte data
std_msgs/Char: char data
std_msgs/ColorRGBA: float32 r, float32 g, float32 b, float32 a
std_msgs/Duration: duration data
std_msgs/Empty:
std_msgs/Float32: float32 data
std_msgs/Float64: float64 data
std_msgs/Header: uint32 seq, time stamp, string frame_id
std_msgs/Int8: int8 data
std_msgs/Int16: int16 data
std_msgs/Int32: int32 data
std_msgs/Int64: int64 data
std_msgs/MultiArrayDimension: string label, uint32 size, uint32 stride
std_msgs/MultiArrayLayout: std_msgs/MultiArrayDimension[] dim, uint32 data_offset
std_msgs/Float32MultiArray: std_msgs/MultiArrayLayout layout, float32[] data
std_msgs/Float64MultiArray: std_msgs/MultiArrayLayout layout, float64[] data
std_msgs/Int8MultiArray: std_msgs/MultiArrayLayout layout, int8[] data
std_msgs/Int32MultiArray: std_msgs/MultiArrayLayout layout, int32[] data
std_msgs/UInt8MultiArray: std_msgs/MultiArrayLayout layout, uint8[] data
std_msgs/String: string data
std_msgs/Time: time data
std_msgs/UInt8: uint8 data
std_msgs/UInt16: uint16 data
std_msgs/UInt32: uint32 data
std_msgs/UInt64: uint64 data
geometry_msgs/Point: float64 x, float64 y, float64 z
geometry_msgs/Point32: float32 x, float32 y, float32 z
geometry_msgs/PointStamped: std_msgs/Header header, geometry_msgs/Point point
geometry_msgs/Polygon: geometry_msgs/Point32[] points
geometry_msgs/Quaternion: float64 x, float64 y, float64 z, float64 w
geometry_msgs/Vector3: float64 x, float64 y, float64 z
geometry_msgs/Pose: geometry_msgs/Point position, geometry_msgs/Quaternion orientation
geometry_msgs/Pose2D: float64 x, float64 y, float64 theta
geometry_msgs/PoseArray: std_msgs/Header header, geometry_msgs/Pose[] poses
geometry_msgs/PoseStamped: std_msgs/Header header, geometry_msgs/Pose pose
geometry_msgs/PoseWithCovariance: geometry_msgs/Pose pose, float64[36] covariance
geometry_msgs/PoseWithCovarianceStamped: std_msgs/Header header, geometry_msgs/PoseWithCovariance pose
geometry_msgs/Transform: geometry_msgs/Vector3 translation, geometry_msgs/Quaternion rotation
geometry_msgs/TransformStamped: std_msgs/Header header, string child_frame_id, geometry_msgs/Transform transform
geometry_msgs/Twist: geometry_msgs/Vector3 linear, geometry_msgs/Vector3 angular
geometry_msgs/TwistStamped: std_msgs/Header header, geometry_msgs/Twist twist
geometry_msgs/TwistWithCovariance: geometry_msgs/Twist twist, float64[36] covariance
nav_msgs/GridCells: std_msgs/Header header, float32 cell_width, float32 cell_height, geometry_msgs/Point[] cells
nav_msgs/MapMetaData: time map_load_time, float32 resolution, uint32 width, uint32 height, geometry_msgs/Pose origin
nav_msgs/OccupancyGrid: std_msgs/Header header, nav_msgs/MapMetaData info, int8[] data
nav_msgs/Odometry: std_msgs/Header header, string child_frame_id, geometry_msgs/PoseWithCovariance pose, geometry_msgs/TwistWithCovariance twist
nav_msgs/Path: std_msgs/Header header, geometry_msgs/PoseStamped[] poses
sensor_msgs/BatteryState: std_msgs/Header header, float32 voltage, float32 temperature, float32 current, float32 charge, float32 capacity, float32 design_capacity, float32 percentage, uint8 power_supply_status, uint8 power_supply_health, uint8 power_supply_technology, bool present, float32[] cell_voltage, float32[] cell_temperature, string location, string serial_number
sensor_msgs/CompressedImage: std_msgs/Header header, string format, uint8[] data
sensor_msgs/Image: std_msgs/Header header, uint32 height, uint32 width, string encoding, uint8 is_bigendian, uint32 step, uint8[] data
sensor_msgs/Imu: std_msgs/Header header, geometry_msgs/Quaternion orientation, float64[9] orientation_covariance, geometry_msgs/Vector3 angular_velocity, float64[9] angular_velocity_covariance, geometry_msgs/Vector3 linear_acceleration, float64[9] linear_acceleration_covariance
sensor_msgs/JointState: std_msgs/Header header, string[] name, float64[] position, float64[] velocity, float64[] effort
sensor_msgs/NavSatStatus: int8 status, uint16 service
sensor_msgs/NavSatFix: std_msgs/Header header, sensor_msgs/NavSatStatus status, float64 latitude, float64 longitude, float64 altitude, float64[9] position_covariance, uint8 position_covariance_type
sensor_msgs/PointField: string name, uint32 offset, uint8 datatype, uint32 count
sensor_msgs/PointCloud2: std_msgs/Header header, uint32 height, uint32 width, sensor_msgs/PointField[] fields, bool is_bigendian, uint32 point_step, uint32 row_step, uint8[] data, bool is_dense
sensor_msgs/LaserScan: std_msgs/Header header, float32 angle_min, float32 angle_max, float32 angle_increment, float32 time_increment, float32 scan_time, float32 range_min, float32 range_max, float32[] ranges, float32[] intensities
sensor_msgs/Range: std_msgs/Header header, uint8 radiation_type, float32 field_of_view, float32 min_range, float32 max_range, float32 range
diagnostic_msgs/KeyValue: string key, string value
diagnostic_msgs/DiagnosticStatus: byte level, string name, string message, string hardware_id, diagnostic_msgs/KeyValue[] values
diagnostic_msgs/DiagnosticArray: std_msgs/Header header, diagnostic_msgs/DiagnosticStatus[] status
tf2_msgs/TFMessage: geometry_msgs/TransformStamped[] transforms
rosgraph_msgs/Clock: time clock
rosbridge_msgs/ConnectedClient: string ip_address, time connection_time
rosbridge_msgs/ConnectedClients: rosbridge_msgs/ConnectedClient[] clients
people_msgs/Person: string name, geometry_msgs/Point position, geometry_msgs/Point velocity, float64 reliability, string[] tagnames, string[] tags
people_msgs/People: std_msgs/Header header, people_msgs/Person[] people
range_msgs/P2PRange: std_msgs/Header header, uint8 radiation_type, uint64 source_id, uint8 source_type, uint64 destination_id, uint8 destination_type, float64 rssi, float64 range, float64 variance
gazebo_msgs/ModelStates: string[] name, geometry_msgs/Pose[] pose, geometry_msgs/Twist[] twist
warehouse_msgs/Mov: float64 x!, float64 y!, string kiva_id!
warehouse_msgs/MovX: float64 dist!, string kiva_id!
warehouse_msgs/MovY: float64 dist!, string kiva_id!
warehouse_msgs/Rot: string dir!, string kiva_id!
warehouse_msgs/Lift: uint8 status!, string kiva_id!, string shelf_id!
warehouse_msgs/Report: std_msgs/Header header, string level, string kiva_id, string command, string outcome, string reason
rosapi/TypeDef: string type, string[] fieldnames, string[] fieldtypes, int32[] fieldarraylen, string[] examples, string[] constnames, string[] constvalues
"""  # noqa: E501 - one type, one line

MESSAGES_ROS1 = """
rosgraph_msgs/Log: std_msgs/Header header, byte level, string name, string msg, string file, string function, uint32 line, string[] topics
actionlib_msgs/GoalID: time stamp, string id
actionlib_msgs/GoalStatus: actionlib_msgs/GoalID goal_id, uint8 status, string text
actionlib_msgs/GoalStatusArray: std_msgs/Header header, actionlib_msgs/GoalStatus[] status_list
"""  # noqa: E501

MESSAGES_ROS2 = """
std_msgs/Header: time stamp, string frame_id
rcl_interfaces/Log: time stamp, uint8 level, string name, string msg, string file, string function, uint32 line
builtin_interfaces/Time: int32 sec, uint32 nanosec
builtin_interfaces/Duration: int32 sec, uint32 nanosec
unique_identifier_msgs/UUID: uint8[16] uuid
action_msgs/GoalInfo: unique_identifier_msgs/UUID goal_id, time stamp
action_msgs/GoalStatus: action_msgs/GoalInfo goal_info, int8 status
action_msgs/GoalStatusArray: action_msgs/GoalStatus[] status_list
"""  # noqa: E501

ACTIONS_ROS1 = """
move_base_msgs/MoveBase: geometry_msgs/PoseStamped target_pose -> -> geometry_msgs/PoseStamped base_position
upo_actions/MakePlan: geometry_msgs/PoseStamped global_goal -> bool finished, std_msgs/UInt8 replan_number, std_msgs/UInt8 emergency_stop_times, std_msgs/Duration time_spent, bool not_possible -> std_msgs/Float32 distance_to_goal, std_msgs/UInt8 global_waypoint, std_msgs/Duration travel_time, std_msgs/String percent_achieved, std_msgs/String ETA
actionlib_tutorials/Fibonacci: int32 order -> int32[] sequence -> int32[] sequence
"""  # noqa: E501

ACTIONS_ROS2 = """
nav2_msgs/NavigateToPose: geometry_msgs/PoseStamped pose, string behavior_tree -> uint16 error_code, string error_msg -> geometry_msgs/PoseStamped current_pose, duration navigation_time, duration estimated_time_remaining, int16 number_of_recoveries, float32 distance_remaining
example_interfaces/Fibonacci: int32 order -> int32[] sequence -> int32[] sequence
"""  # noqa: E501

SERVICES = """
std_srvs/Empty: ->
std_srvs/SetBool: bool data -> bool success, string message
std_srvs/Trigger: -> bool success, string message
rospy_tutorials/AddTwoInts: int64 a, int64 b -> int64 sum
example_interfaces/AddTwoInts: int64 a, int64 b -> int64 sum
shopfloor_msgs/Fault: string command -> bool success, string message
shopfloor_msgs/State: -> string json
shopfloor_msgs/PutLoad: float64 kg -> bool success, string message
gazebo_msgs/GetModelState: string model_name!, string relative_entity_name -> std_msgs/Header header, geometry_msgs/Pose pose, geometry_msgs/Twist twist, bool success, string status_message
gazebo_msgs/SpawnModel: string model_name!, string model_xml!, string robot_namespace, geometry_msgs/Pose initial_pose, string reference_frame -> bool success, string status_message
gazebo_msgs/DeleteModel: string model_name! -> bool success, string status_message
warehouse_msgs/CreateWarehouse: std_msgs/Header header!, string warehouse_name!, string warehouse_id!, int32 robots!, int32 items!, int32 shelves!, bool replace -> std_msgs/Header header, bool success, string message
warehouse_msgs/InsertWorld: string world!, bool replace -> bool success, string message
warehouse_msgs/Command: string line! -> bool success, string message
warehouse_msgs/Spawn: string kind!, string id!, float64[] at, float64 yaw_deg, int32 length, string along, int32 columns, int32 rows, string unit_id, int32 shelf, string sku, float64[] route -> bool success, string message
warehouse_msgs/FindItems: string sku! -> bool success, string message, string json
warehouse_msgs/Export: string format! -> bool success, string message, string text
shopfloor_msgs/HandleLoad: string id, string package -> bool success, string message
shopfloor_msgs/PlacePackage: string place, string package -> bool success, string message
nav_msgs/GetPlan: geometry_msgs/PoseStamped start, geometry_msgs/PoseStamped goal, float32 tolerance -> nav_msgs/Path plan
nav2_msgs/ClearEntireCostmap: std_msgs/Empty request -> std_msgs/Empty response
rosapi/Topics: -> string[] topics, string[] types
rosapi/TopicType: string topic -> string type
rosapi/TopicsForType: string type -> string[] topics
rosapi/TopicsAndRawTypes: -> string[] topics, string[] types, string[] typedefs_full_text
rosapi/Services: -> string[] services
rosapi/ServiceType: string service -> string type
rosapi/ServicesForType: string type -> string[] services
rosapi/ServiceNode: string service -> string node
rosapi/ServiceHost: string service -> string host
rosapi/ServiceProviders: string service -> string[] providers
rosapi/Interfaces: -> string[] interfaces
rosapi/ActionType: string action -> string type
rosapi/ActionGoalDetails: string type -> rosapi/TypeDef[] typedefs
rosapi/ActionResultDetails: string type -> rosapi/TypeDef[] typedefs
rosapi/ActionFeedbackDetails: string type -> rosapi/TypeDef[] typedefs
rosapi/Nodes: -> string[] nodes
rosapi/NodeDetails: string node -> string[] subscribing, string[] publishing, string[] services
rosapi/GetActionServers: -> string[] action_servers
rosapi/Publishers: string topic -> string[] publishers
rosapi/Subscribers: string topic -> string[] subscribers
rosapi/MessageDetails: string type -> rosapi/TypeDef[] typedefs
rosapi/ServiceRequestDetails: string type -> rosapi/TypeDef[] typedefs
rosapi/ServiceResponseDetails: string type -> rosapi/TypeDef[] typedefs
rosapi/GetParam: string name, string default -> string value
rosapi/SetParam: string name, string value ->
rosapi/HasParam: string name -> bool exists
rosapi/DeleteParam: string name ->
rosapi/SearchParam: string name -> string global_name
rosapi/GetParamNames: -> string[] names
rosapi/GetTime: -> time time
rosapi/GetROSVersion: -> int32 version, string distro
"""  # noqa: E501
